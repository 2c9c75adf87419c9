import { randomUUID } from "node:crypto";
import { HawserError, onAbort } from "../base/index.js";
import type { RequestOptions } from "../control/index.js";
import {
  type McpServerConfig,
  type Options,
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
import { type HandedBack, resetAndDetach } from "./reset-and-detach.js";
import { SessionCore } from "./session-core.js";
import type { CoreOptions } from "./session-start.js";
import { type LiveTurn, recordOf, type Turn } from "./turns/turn.js";

/** How one prompt is sent. */
export interface SendOptions {
  /** Of the prompt; a new one unless given. */
  readonly uuid?: string | undefined;
  /** False adds the prompt to the conversation without a call of the model. */
  readonly shouldQuery?: boolean | undefined;
  /**
   * True lets the CLI act on the text: a leading `/` runs a command or a skill, and `@path` reads a
   * file, none of which `rules`, hooks or `canUseTool` see. Only for text that a person typed for the
   * CLI. The default is false, or true with `literalPrompt: false`.
   */
  readonly commands?: boolean | undefined;
  /** Stops the turn, or withdraws its prompt. */
  readonly signal?: AbortSignal | undefined;
}

/** Any failure, with all that is known of the session and the turn; for the layers above. */
export let enrichedBy: (session: Session, error: unknown, turn?: Turn) => HawserError;

/** Gives the process of a session away, if all is at rest; the session is closed then. */
export let detach: (session: Session) => CliProcess | undefined;

/**
 * The same with a new conversation. Throws unless the CLI has confirmed that: then the process must
 * not serve anybody else.
 */
export let handBack: (session: Session, limitMs: number) => Promise<HandedBack>;

/**
 * A conversation over one live process. If it is forgotten, its process dies with it: when this
 * object is garbage-collected, and at the latest when the program ends.
 */
export class Session extends Controls implements AsyncIterable<Message> {
  static {
    enrichedBy = (session, error, turn) => session.#core.line.enrich(error, turn && recordOf(turn));
    detach = (session) => session.#left(session.#core.detach());
    handBack = async (session, limitMs) => {
      const handed = await resetAndDetach(session.#core, session, limitMs);
      session.#left(handed.process);
      return handed;
    };
  }

  readonly #core: SessionCore;
  readonly #options: Options;
  #info: InitializePayload | undefined;

  constructor(core: CoreOptions) {
    super();
    this.#core = new SessionCore(core);
    this.#options = core.options;
    abandoned.register(this, this.#core, this.#core);
  }

  /** The CLI's id of the session; the newest, since `/clear` begins another. */
  get id(): string | undefined {
    return this.#core.line.id;
  }

  /** Of the process; another one after a recovery. */
  get pid(): number | undefined {
    return this.#core.line.current.transport.pid;
  }

  /** What the CLI said of itself when it started, and since then of its MCP servers. */
  get info(): InitializePayload {
    this.#info = this.#core.line.current.info ?? this.#info;
    if (this.#info === undefined) throw new HawserError("closed", "The session is not open yet.");
    const { mcpServers } = this.#core.line;
    return mcpServers === undefined ? this.#info : { ...this.#info, mcp_servers: mcpServers };
  }

  /** Waits until the CLI has started and every check is passed. */
  async initializationResult(): Promise<InitializePayload> {
    try {
      this.#info = await this.#core.line.current.ready;
    } catch (error) {
      // If it was this side that ended the start, that is the reason.
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
    const { uuid = randomUUID(), shouldQuery, signal } = options;
    if (this.#core.turns.has(uuid)) {
      throw new HawserError("invalid_options", `The prompt ${uuid} has been sent already.`);
    }
    const { literalPrompt, verbatimPrompts } = this.#options;
    const literal = !(options.commands ?? literalPrompt === false);
    const line = {
      ...userLine(prompt, { uuid, literal, shouldQuery }),
      uuid,
      ...(literal && verbatimPrompts === true ? { client_composed: true } : {}),
    };
    // Before anything is sent: a prompt that cannot be written would never arrive.
    encodeLine(line);
    const turn = this.#core.send(line, this, signal);
    if (signal !== undefined && !turn.settled) stopOnAbort(turn, signal, this.#core);
    return turn;
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
  idle(): Promise<void> {
    return this.#core.idle(this);
  }

  /** Stops the running turn. Prompts that wait still run, unless they are to be cancelled. */
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
    return (await this.#core.request({ ...fields, subtype }, options)) as HostPayload<S>;
  }

  /**
   * Interrupts what runs and ends the process; resolves when nothing of it is left. Turns without
   * an end are told `cause`, which is `closed` unless given.
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

  /** Without its process there is nothing that would have to die with it. */
  #left(process: CliProcess | undefined): CliProcess | undefined {
    if (process !== undefined) abandoned.unregister(this.#core);
    return process;
  }

  protected linkServers(servers: Readonly<Record<string, McpServerConfig>>): readonly string[] {
    refuseCollidingServers(this.#core.line.serverNames(servers));
    return this.#core.line.setServers(servers);
  }
}

const abandoned = new FinalizationRegistry<SessionCore>((core) => {
  void core.kill();
});

function stopOnAbort(turn: LiveTurn, signal: AbortSignal, core: SessionCore): void {
  const release = onAbort([signal], (error) => core.interruptFor(turn, error));
  turn.result.then(release, release);
}
