import { callerStack, HawserError, inspectable, traceCaller } from "../base/index.js";
import type { RequestOptions } from "../control/index.js";
import {
  type McpServerConfig,
  refuseCollidingServers,
  validateAppended,
  validateCommand,
  validatePrompt,
  validateSendOptions,
} from "../options/index.js";
import type { CliProcess } from "../process/index.js";
import {
  type History,
  type HostPayload,
  type InitializePayload,
  type InterruptReceipt,
  type JoinedMessage,
  joinMessages,
  type Message,
  type Prompt,
} from "../wire/index.js";
import { appendMessages, appendWhenIdle } from "./append-messages.js";
import { Controls, type FieldsOf } from "./controls.js";
import { rememberLive } from "./live-sessions.js";
import { type ResetProcess, resetAndDetach } from "./reset-and-detach.js";
import { type SendOptions, sendPrompt } from "./send-prompt.js";
import { SessionCore } from "./session-core.js";
import type { SessionStart } from "./session-start.js";
import { recordOf, type Turn } from "./turns/turn.js";

/**
 * A conversation over one live process, made by `openSession()`. Close it when it is no longer needed. The
 * process of a session that is not closed ends when this object is garbage-collected, and at the latest when
 * the program ends.
 *
 * @example
 * ```ts
 * import { openSession } from "hawser";
 *
 * await using session = await openSession({ cwd: "/srv/project" });
 * console.log(await session.send("Which tests are slow?").text());
 * console.log(await session.send("Make the slowest one faster.").text());
 * ```
 */
export class Session extends Controls implements AsyncIterable<Message> {
  readonly #core: SessionCore;
  #info: InitializePayload | undefined;
  /** Settles when the last `append()` is over. */
  #appended: Promise<void> = Promise.resolve();

  constructor(start: SessionStart) {
    super();
    this.#core = new SessionCore(start);
    cores.set(this, this.#core);
    if (start.purpose !== undefined) rememberLive(numberOf(this), this);
    abandoned.register(this, this.#core, this.#core);
  }

  /**
   * The CLI's id of the session. The option `resume` takes it. `/clear` begins another session with another
   * id.
   */
  get id(): string | undefined {
    return this.#core.connection.id;
  }

  /**
   * Whether another process can resume the conversation now, also if this program is killed. The CLI writes its
   * transcript a moment after a prompt (observed: 0.1 s), and completes it in `close()`. Reads the disk at each
   * access.
   */
  get resumable(): boolean {
    return this.#core.connection.isResumable;
  }

  /** The id of the CLI's process. After a recovery it is another process. */
  get pid(): number | undefined {
    return this.#core.connection.current.pid;
  }

  /**
   * What the CLI reported about itself when it started: models, commands, account, and its MCP servers as
   * of now.
   */
  get info(): InitializePayload {
    this.#info = this.#core.connection.current.info ?? this.#info;
    if (this.#info === undefined) throw new HawserError("closed", "The session is not open yet.");
    const { mcpServers } = this.#core.connection;
    return mcpServers === undefined ? this.#info : { ...this.#info, mcp_servers: mcpServers };
  }

  /**
   * The CLI's answer to initialize: models, commands, agents and account. Resolves when the CLI has started
   * and every check is passed.
   */
  async initializationResult(): Promise<InitializePayload> {
    try {
      this.#info = await this.#core.connection.current.ready;
    } catch (error) {
      // If this side ended the start, its reason is the better one.
      throw this.#core.refusal() ?? error;
    }
    return this.#info;
  }

  /**
   * Sends a prompt and returns its turn at once. A prompt may be sent while another turn runs: then it waits,
   * or joins that turn. The text is data: the CLI runs no command and reads no file because of it, unless
   * `commands` is true.
   *
   * @example
   * ```ts
   * const turn = session.send("Which tests are slow?");
   * for await (const piece of turn.textStream) process.stdout.write(piece);
   * console.log(turn.costUsd);
   * ```
   */
  send(prompt: Prompt, options: SendOptions = {}): Turn {
    validatePrompt(prompt);
    validateSendOptions(options);
    return sendPrompt(this.#core, this, prompt, options, callerStack());
  }

  /**
   * The turn that the CLI begins by itself when it resumes a session whose last tool call was deferred
   * (`stop: "tool_deferred"`): the CLI asks hooks and `canUseTool` about the call again, runs it, and the model
   * goes on. Call this method after `openSession({ resume })`, before the first prompt. Every call returns the
   * same turn.
   *
   * A prompt that is sent meanwhile waits: the CLI first ends this turn, then it gets the prompt, and each has
   * a result of its own. If the CLI begins nothing within `timeouts.firstMessageMs`, the turn rejects with
   * `timeout`, and the session ends. The clock stops while `canUseTool` or a hook decides about the call, and
   * while the call runs.
   *
   * Throws `invalid_options` if the session was not resumed, or if a prompt was sent before.
   *
   * @example
   * ```ts
   * const session = await openSession({
   *   resume: sessionId,
   *   canUseTool: async () => ({ behavior: "allow" }),
   * });
   * console.log(await session.resumedTurn().text());
   * ```
   */
  resumedTurn(): Turn {
    return this.#core.turns.resume(this, callerStack());
  }

  /**
   * Adds messages to the conversation without a request to the model, for example the answer of another
   * model, or the beginning of a conversation from elsewhere. The text of the messages is data, like the text
   * of a prompt.
   *
   * The method waits until the session is idle, and resolves when the CLI has all messages. A prompt that is
   * sent during this wait comes before the messages. A prompt that is sent while they are being added comes
   * after them. A loop over the session also gets the CLI's result for each user message that was added, with
   * `num_turns: 0`.
   *
   * The method does not know the last message of the conversation: after an answer of the model, and in a new
   * session, begin with a user message. Tool results must answer tool calls among the same messages.
   *
   * Rejects with `invalid_options` for messages that do not fit together, and with `unsupported_by_cli` before
   * Claude Code 2.1.197.
   *
   * @example
   * ```ts
   * await session.append([
   *   { role: "user", content: "Name two knots." },
   *   { role: "assistant", content: "Bowline and sheet bend." },
   * ]);
   * console.log(await session.send("Which one is the strongest?").text());
   * ```
   */
  async append(messages: History): Promise<void> {
    validateAppended(messages);
    const joined = joinMessages(messages);
    // One after the other, so that the messages of two calls do not mix.
    const appended = this.#appended.then(() => appendWhenIdle(this.#core, this, joined));
    this.#appended = appended.catch(() => {});
    await traceCaller(appended);
  }

  /**
   * Runs a command of the CLI, such as `/compact` or `/clear`, or a skill by its name. The rest of the text is
   * its argument, in which `@path` reads a file: never put the text of an end user there.
   *
   * @example
   * ```ts
   * await session.command("/compact").result;
   * ```
   */
  command(command: string, options: Omit<SendOptions, "commands"> = {}): Turn {
    validateCommand(command);
    return this.send(command, { ...options, commands: true });
  }

  /**
   * All messages from now on, for one reader. Messages of turns that the CLI begins by itself are included.
   * `message.type === "assistant"` narrows a message to one type, and so do `isMessage()`, `isResult()` and
   * `isSystem()`. A newer CLI may send a type that is not known here. It arrives as `UnknownMessage`, so a
   * `default` branch must not throw.
   *
   * @example
   * ```ts
   * for await (const message of session) {
   *   if (message.type === "assistant") console.log(message.message.content);
   * }
   * ```
   */
  [Symbol.asyncIterator](): AsyncIterator<Message> {
    return this.#core.read(this);
  }

  /**
   * Resolves when nothing is left to do: no turn runs, no prompt waits, and no work runs in the background.
   */
  async idle(): Promise<void> {
    await traceCaller(this.#core.idle(this));
  }

  /**
   * Interrupts the running turn; the session stays usable. Prompts that wait still run, unless
   * `cancelQueued` is true.
   */
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
   * Interrupts a running turn and ends the process. Resolves when the process and its children are gone.
   * Turns without a result reject with `cause`, by default an error with the code `closed`. Closing twice does
   * no harm. `await using session = …` closes too.
   *
   * @example
   * ```ts
   * const session = await openSession();
   * try {
   *   console.log(await session.send("Hello.").text());
   * } finally {
   *   await session.close();
   * }
   * ```
   */
  async close(cause?: HawserError): Promise<void> {
    await this.#core.close(cause);
    abandoned.unregister(this.#core);
  }

  /**
   * Says that this program is alive and may go on with the session, which was opened with `renewWithinMs`. Without
   * this call within that time, the process and everything below it are ended, also while this program is frozen.
   * The session is then over, and turns without a result reject with `timeout`, whose `phase` is `renew`. A call
   * after that changes nothing.
   *
   * @example
   * ```ts
   * const session = await openSession({ renewWithinMs: 10_000 });
   * const heartbeat = setInterval(() => session.renew(), 2_500);
   * ```
   */
  renew(): void {
    if (this.#core.options.renewWithinMs === undefined) {
      throw new HawserError("invalid_options", "renew() needs the option `renewWithinMs`.");
    }
    this.#core.connection.current.renew();
  }

  /** Kills the process now, without an interrupt. Resolves when the process and its children are gone. */
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

inspectable(Session, "Session", (session) => {
  const { state, connection, turns } = coreOf(session);
  const { id, model, current } = connection;
  return { id, state, model, pid: current.pid, turns: turns.total };
});

/** Kills the process of a session that was garbage-collected. */
const abandoned = new FinalizationRegistry<SessionCore>((core) => {
  void core.kill();
});

// What follows is for the other layers of this library.

/** Resolves when the process of the session runs, or will never run. */
export function whenStarted(session: Session): Promise<unknown> {
  return coreOf(session).connection.current.whenStarted;
}

/** Sends a prompt that its caller has validated already. */
export function sendValidated(session: Session, prompt: Prompt): Turn {
  return sendPrompt(coreOf(session), session, prompt, {});
}

/**
 * Adds messages that their caller has validated and joined, before the next prompt. `interruption` is asked
 * before each message.
 */
export async function appendValidated(
  session: Session,
  messages: readonly JoinedMessage[],
  interruption: () => HawserError | undefined,
): Promise<void> {
  const core = coreOf(session);
  try {
    await appendMessages(core, session, messages, { interruption });
  } catch (error) {
    // If this side ended the start, its reason is the better one.
    throw core.failure ?? error;
  }
}

/** The error with all known facts of the session and the turn. */
export function enrichError(session: Session, error: unknown, turn?: Turn): HawserError {
  return coreOf(session).connection.enrich(error, turn && recordOf(turn));
}

/** The number of a session, for events. */
export function numberOf(session: Session): number {
  return coreOf(session).connection.observation.number;
}

/** Detaches the process of an idle session, which is closed then. Undefined if the session is busy. */
export function detachProcess(session: Session): CliProcess | undefined {
  const core = coreOf(session);
  const process = core.detach();
  // Without a process there is nothing to kill if the session is dropped.
  if (process !== undefined) abandoned.unregister(core);
  return process;
}

/**
 * Begins a new conversation and detaches the process. Throws if the CLI has not confirmed the new
 * conversation, because then the process must not serve another caller.
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
  if (core === undefined) throw new TypeError("This object is not a session of this library.");
  return core;
}
