import { randomUUID } from "node:crypto";
import { callerStack, HawserError, traceCaller } from "../base/index.js";
import type { RequestOptions } from "../control/index.js";
import {
  type McpServerConfig,
  refuseCollidingServers,
  validateCommand,
  validatePrompt,
  validateSendOptions,
} from "../options/index.js";
import type { CliProcess } from "../process/index.js";
import {
  encodeLine,
  type HostPayload,
  type InitializePayload,
  type InterruptReceipt,
  type Message,
  type Prompt,
  userLine,
} from "../wire/index.js";
import { Controls, type FieldsOf } from "./controls.js";
import { type ResetProcess, resetAndDetach } from "./reset-and-detach.js";
import { SessionCore } from "./session-core.js";
import type { SessionStart } from "./session-start.js";
import { recordOf, type Turn } from "./turns/turn.js";

/** How one prompt is sent. */
export interface SendOptions {
  /** The uuid of the prompt; a new one unless given. */
  readonly uuid?: string | undefined;
  /** False adds the prompt to the conversation without a call of the model. */
  readonly shouldQuery?: boolean | undefined;
  /**
   * True lets the CLI act on the text: a leading `/` runs a command or a skill, and `@path` reads a
   * file, none of which `rules`, hooks or `canUseTool` see. Only for text that a person typed for the
   * CLI. The default is false, or true with `literalPrompt: false`.
   */
  readonly commands?: boolean | undefined;
  /** Interrupts the turn, or takes its prompt back if the CLI has not begun with it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A conversation over one live process. If the program drops the session, the process dies with it: when
 * this object is garbage-collected, and at the latest when the program ends.
 */
export class Session extends Controls implements AsyncIterable<Message> {
  readonly #core: SessionCore;
  #info: InitializePayload | undefined;

  constructor(start: SessionStart) {
    super();
    this.#core = new SessionCore(start);
    cores.set(this, this.#core);
    abandoned.register(this, this.#core, this.#core);
  }

  /** The CLI's id of the session. `/clear` begins another session with another id. */
  get id(): string | undefined {
    return this.#core.connection.id;
  }

  /** The id of the process, which is another process after a recovery. */
  get pid(): number | undefined {
    return this.#core.connection.current.pid;
  }

  /** What the CLI said of itself when it started, and since then of its MCP servers. */
  get info(): InitializePayload {
    this.#info = this.#core.connection.current.info ?? this.#info;
    if (this.#info === undefined) throw new HawserError("closed", "The session is not open yet.");
    const { mcpServers } = this.#core.connection;
    return mcpServers === undefined ? this.#info : { ...this.#info, mcp_servers: mcpServers };
  }

  /** Waits until the CLI has started and every check is passed. */
  async initializationResult(): Promise<InitializePayload> {
    try {
      this.#info = await this.#core.connection.current.ready;
    } catch (error) {
      // If this side ended the start, its reason is the better one.
      throw this.#core.failure ?? error;
    }
    return this.#info;
  }

  /**
   * Sends a prompt. It may be sent while another turn runs: then it waits, or joins that turn. The
   * text is data: the CLI runs no command and reads no file because of it, unless `commands` is true.
   */
  send(prompt: Prompt, options: SendOptions = {}): Turn {
    validatePrompt(prompt);
    validateSendOptions(options);
    return sendPrompt(this.#core, this, prompt, options, callerStack());
  }

  /**
   * Runs a command of the CLI, such as `/compact` or `/clear`, or a skill by its name. What stands
   * behind the name is its argument, in which `@path` reads a file: never put the text of an end user
   * there.
   */
  command(command: string, options: Omit<SendOptions, "commands"> = {}): Turn {
    validateCommand(command);
    return this.send(command, { ...options, commands: true });
  }

  /**
   * Everything that comes from now on, for one reader, turns that the CLI begins included. To narrow
   * a message, ask `isResult(message)`, `isMessage(message, "assistant")` or `isSystem(message, "init")`:
   * `message.type === "result"` leaves fields `unknown`, since a type that is not known may be any.
   */
  [Symbol.asyncIterator](): AsyncIterator<Message> {
    return this.#core.read(this);
  }

  /** Resolves when nothing is left to do: no turn, no prompt, no background work. */
  async idle(): Promise<void> {
    await traceCaller(this.#core.idle(this));
  }

  /** Interrupts the running turn. Prompts that wait still run, unless `cancelQueued` is true. */
  async interrupt(options: { cancelQueued?: boolean } = {}): Promise<InterruptReceipt> {
    const { cancelQueued = false } = options;
    const { turns } = this.#core;
    const here = cancelQueued ? turns.cancelQueued() : turns.queued.map(({ uuid }) => uuid);
    const receipt = await this.request("interrupt", cancelQueued ? { cancel_queued: true } : {});
    const { still_queued = [], cancelled = [] } = receipt ?? {};
    return cancelQueued
      ? { still_queued, cancelled: [...cancelled, ...here] }
      : { still_queued: [...still_queued, ...here], ...(receipt?.cancelled && { cancelled }) };
  }

  async request<S extends string>(
    subtype: S,
    fields?: FieldsOf<S>,
    options?: RequestOptions,
  ): Promise<HostPayload<S>> {
    const answer = this.#core.request({ ...fields, subtype }, options);
    return (await traceCaller(answer)) as HostPayload<S>;
  }

  /**
   * Interrupts what runs and ends the process; resolves when nothing of it is left. Unsettled turns
   * reject with `cause`, which is `closed` unless given.
   */
  async close(cause?: HawserError): Promise<void> {
    await this.#core.close(cause);
    abandoned.unregister(this.#core);
  }

  /** Ends the process now; resolves when nothing of it is left. */
  kill(): Promise<void> {
    return this.#core.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  protected linkServers(servers: Readonly<Record<string, McpServerConfig>>): readonly string[] {
    refuseCollidingServers(this.#core.connection.serverNames(servers));
    return this.#core.connection.setServers(servers);
  }
}

/** The core of every session, for the functions below. */
const cores = new WeakMap<Session, SessionCore>();

/** Kills the process of a session that was garbage-collected. */
const abandoned = new FinalizationRegistry<SessionCore>((core) => {
  void core.kill();
});

// What follows is for the other layers of this library.

/** Sends a prompt that its caller has validated already. */
export function sendValidated(session: Session, prompt: Prompt): Turn {
  return sendPrompt(coreOf(session), session, prompt, {});
}

/** Any failure, with all that is known of the session and the turn. */
export function enrichError(session: Session, error: unknown, turn?: Turn): HawserError {
  return coreOf(session).connection.enrich(error, turn && recordOf(turn));
}

/** Gives the process of an idle session away; the session is closed then. Undefined if it is busy. */
export function detachProcess(session: Session): CliProcess | undefined {
  const core = coreOf(session);
  const process = core.detach();
  // Without a process there is nothing to kill if the session is dropped.
  if (process !== undefined) abandoned.unregister(core);
  return process;
}

/**
 * Begins a new conversation and gives the process away. Throws unless the CLI has confirmed the new
 * conversation: then the process must not serve another caller.
 */
export async function resetAndDetachProcess(
  session: Session,
  limitMs: number,
): Promise<ResetProcess> {
  const core = coreOf(session);
  const handed = await resetAndDetach(core, session, limitMs);
  abandoned.unregister(core);
  return handed;
}

function coreOf(session: Session): SessionCore {
  const core = cores.get(session);
  if (core === undefined) throw new TypeError("This is no session of this library.");
  return core;
}

function sendPrompt(
  { options, turns }: SessionCore,
  session: Session,
  prompt: Prompt,
  { uuid = randomUUID(), shouldQuery, commands, signal }: SendOptions,
  caller?: string,
): Turn {
  if (turns.has(uuid)) {
    throw new HawserError("invalid_options", `The prompt ${uuid} has been sent already.`);
  }
  const literal = !(commands ?? options.literalPrompt === false);
  const message = {
    ...userLine(prompt, { uuid, literal, shouldQuery }),
    ...(literal && options.verbatimPrompts === true ? { client_composed: true } : {}),
  };
  // Encoded before anything is sent: a prompt that cannot be written would never arrive.
  const encoded = encodeLine(message);
  return turns.send({ uuid, message, encoded, caller }, session, signal);
}
