import { getPath, HawserError, isHawserError, type Logger } from "../../base/index.js";
import type { RequestOptions } from "../../control/index.js";
import {
  compareVersions,
  type McpServerConfig,
  type Options,
  parseVersion,
  type Version,
} from "../../options/index.js";
import { hasTranscript } from "../../transcripts/index.js";
import {
  type AssistantLine,
  type HostRequest,
  isResult,
  isSystem,
  type Message,
  type RecoveredNotice,
  type SystemInit,
  type UserLine,
} from "../../wire/index.js";
import { clientToolServer } from "../client-tool-server.js";
import { Observation } from "../observe/observation.js";
import type { ObservedSession } from "../observe/session-observer.js";
import { enrich } from "../session-error.js";
import type { PrestartedProcess, ProcessStart } from "../session-start.js";
import { warnOfKey, warnOfUnknownAgent } from "../startup-warnings.js";
import { spentOn, TurnCosts } from "../turns/turn-costs.js";
import type { TurnRecord } from "../turns/turn-record.js";
import type { PromptSink } from "../turns/turns.js";
import { CliConnection } from "./cli-connection.js";
import type { ConnectionListener } from "./connection-listener.js";
import { ReplayedSettings, reduceBudget, resumeOptions } from "./replayed-settings.js";

/** The owner of the connection. The cores of sessions and queries implement it. */
export interface RecoverableConnectionListener extends ConnectionListener {
  /** The uuid of the prompt that the CLI works on, if that is known. */
  readonly activeTurn: string | undefined;
  /** A process is ready, the first or a later one. */
  onReady(): void;
  onRecovered(notice: RecoveredNotice): void;
}

type Servers = Readonly<Record<string, McpServerConfig>>;

/** `down`: the process is gone, and the next prompt or request starts a new process. */
type State = { readonly name: "up" } | { readonly name: "down"; readonly why: HawserError };

/**
 * The process of a session, or several one after another: when a process has ended and the session is to
 * be recovered, the next process that is needed resumes the conversation in the state it was in.
 */
export class RecoverableConnection implements PromptSink, ObservedSession {
  /** Publishes the events of the session, if anything has subscribed to them. */
  readonly observation: Observation;
  readonly #options: Options;
  readonly #bootMs: number;
  readonly #listener: RecoverableConnectionListener;
  readonly #settings = new ReplayedSettings();
  #state: State = UP;
  #current: CliConnection;
  #costs: TurnCosts;
  #model: string | undefined;
  #servers: Servers = {};
  readonly #clientTools: Servers;
  #id: string | undefined;
  /** Whether the CLI has begun a turn, so that there is a conversation to resume. */
  #hasConversation = false;
  /** Whether the current process resumed a conversation. */
  #resumed: boolean;
  #spentUsd = 0;
  #mcpServers: SystemInit["mcp_servers"] | undefined;
  /** Settles when a new process is in the state of the old process. */
  #restored: Promise<void> | undefined;
  /** The failed MCP servers that were logged last, as JSON. */
  #loggedServers = "[]";

  constructor(
    options: Options,
    { bootMs, warm, origin }: ProcessStart,
    listener: RecoverableConnectionListener,
  ) {
    this.#options = options;
    this.#bootMs = bootMs;
    this.#listener = listener;
    this.#clientTools = clientToolServer(options);
    this.#costs = new TurnCosts(warm?.before);
    const { sessionId = warm?.sessionId, resume, forkSession } = options;
    this.#id = sessionId ?? (forkSession ? undefined : resume);
    this.#resumed = options.resume !== undefined || options.continue === true;
    this.observation = new Observation(this, origin, options);
    this.observation.attachIfWatched();
    this.#current = this.#connect(options, warm);
  }

  /** The id of the session. */
  get id(): string | undefined {
    return this.#id;
  }

  /** The state of its MCP servers, as the newest turn found them; undefined before the first. */
  get mcpServers(): SystemInit["mcp_servers"] | undefined {
    return this.#mcpServers;
  }

  /** The model that the newest turn began with, or that was set since; undefined if it is not known. */
  get model(): string | undefined {
    return this.#model;
  }

  /** The connection to the process of the moment. */
  get current(): CliConnection {
    return this.#current;
  }

  get activeTurn(): string | undefined {
    return this.#listener.activeTurn;
  }

  get log(): Logger {
    return this.#current.log;
  }

  get isDown(): boolean {
    return this.#state.name === "down";
  }

  get canRecover(): boolean {
    const { recover, persistSession } = this.#options;
    return recover === true && persistSession !== false && this.#current.wasReady;
  }

  /** To be called with every message. */
  observe(message: Message): void {
    const id = "session_id" in message ? message.session_id : undefined;
    if (typeof id === "string" && id !== "") this.#id = id;
    if (isResult(message)) {
      this.#costs.add(message, this.#totalAtFirst());
      this.#spentUsd += spentOn(message).costUsd ?? 0;
    }
    if (isSystem(message, "init")) {
      this.#hasConversation = true;
      this.#model = message.model;
      this.#mcpServers = message.mcp_servers;
      this.#logFailedServers(message.mcp_servers);
    }
  }

  /** Waits until a new process has the settings of the old process. */
  sendPrompt(message: UserLine | AssistantLine, encoded?: string): Promise<void> {
    this.observation.attachIfWatched();
    const connection = this.#current;
    return (
      this.#restored?.then(() => connection.sendPrompt(message, encoded)) ??
      connection.sendPrompt(message, encoded)
    );
  }

  async request(request: HostRequest, options?: RequestOptions): Promise<unknown> {
    refuseUnanswerable(request);
    try {
      const payload = await this.#current.request(request, options);
      this.#settings.add(request);
      if (request.subtype === "set_model") this.#model = modelIn(payload);
      return payload;
    } catch (error) {
      throw this.enrich(error);
    }
  }

  /** The names of all MCP servers, if these were set beside the servers of the options. */
  serverNames(servers: Servers): readonly string[] {
    return Object.keys(this.#allServers(servers));
  }

  /** Sets the MCP servers of this program beside the servers of the options. */
  setServers(servers: Servers): readonly string[] {
    this.#servers = servers;
    return this.#current.setServers(this.#allServers());
  }

  /** The process is gone, but the session is not over. */
  markDown(why: HawserError): void {
    this.#state = { name: "down", why };
  }

  /** Starts a new process if the last one is gone; returns whether it did. */
  reconnect(): boolean {
    if (this.#state.name === "up") return false;
    const { why } = this.#state;
    this.#state = UP;
    const id = this.#hasConversation ? this.#id : undefined;
    const options = reduceBudget(this.#options, this.#spentUsd);
    const connection = this.#connect(id === undefined ? options : resumeOptions(options, id));
    this.#current = connection;
    this.#costs = new TurnCosts();
    this.#resumed = id !== undefined;
    this.#restored = this.#restore(connection);
    connection.ready.then(
      () => this.#recovered(id !== undefined, why),
      // `onEnd` reports the failure.
      () => {},
    );
    return true;
  }

  /** The error with all known facts of the process, the session and the turn. */
  enrich(error: unknown, record?: TurnRecord): HawserError {
    const { facts, mask, wasStarted } = this.#current;
    // Before the first process there is no session, only an id for it.
    const id = wasStarted || this.#hasConversation ? this.#id : undefined;
    const session =
      id === undefined ? {} : { sessionId: id, resumable: this.#isResumableAfter(error) };
    return enrich(error, record, { ...facts, ...session }, mask);
  }

  /** Whether another process could resume the conversation, also if this program were killed now. */
  get isResumable(): boolean {
    return this.#options.persistSession !== false && this.#isWritten();
  }

  /** After the death of a process, the CLI no longer writes what is not in the transcript yet. */
  #isResumableAfter(error: unknown): boolean {
    if (!this.#hasConversation || this.#options.persistSession === false) return false;
    return !isHawserError(error, "process_exited") || this.#isWritten();
  }

  /** A remote process writes its transcript elsewhere. */
  #isWritten(): boolean {
    if (this.#options.spawnClaudeCodeProcess !== undefined) return this.#hasConversation;
    const { env, cwd } = this.#current.invocation;
    return this.#id !== undefined && hasTranscript(this.#id, env, cwd);
  }

  #connect(options: Options, warm?: PrestartedProcess): CliConnection {
    const servers = this.#allServers();
    const start = { bootMs: this.#bootMs, warm };
    const connection = new CliConnection(options, servers, start, this.#listener, this.observation);
    connection.ready.then(
      (info) => {
        const { log } = connection;
        warnOfKey(info, options, log);
        warnOfUnknownAgent(info, options, log);
        this.observation.observer?.onReady(connection.pid, connection.facts.cliVersion);
        this.#listener.onReady();
      },
      // `onEnd` reports the failure.
      () => {},
    );
    return connection;
  }

  /** An older CLI counts its totals from zero again when it resumes. */
  #totalAtFirst(): "nothing" | "unknown" {
    if (!this.#resumed) return "nothing";
    const { cliVersion = "" } = this.#current.facts;
    const version = parseVersion(cliVersion);
    const countsAnew = version !== undefined && compareVersions(version, COUNTS_ANEW) <= 0;
    return countsAnew ? "nothing" : "unknown";
  }

  async #restore(connection: CliConnection): Promise<void> {
    const requests = this.#settings.requests;
    if (requests.length === 0) return;
    try {
      await Promise.all(requests.map((request) => connection.request(request)));
    } catch (error) {
      // If the process has exited, `onEnd` reports the reason; only a live process that refuses is
      // killed here.
      const why = this.enrich(error);
      if (connection.wasReady || why.code === "control_error") await connection.killFor(why);
    }
  }

  #logFailedServers(servers: readonly { readonly name: string; readonly status: string }[]): void {
    const listed = Array.isArray(servers) ? servers : [];
    const down = listed.filter((server) => !WORKING.has(server?.status));
    const text = JSON.stringify(down);
    if (text === this.#loggedServers) return;
    this.#loggedServers = text;
    if (down.length > 0) this.#current.log.warn("MCP servers that do not work", { servers: down });
  }

  #recovered(resumed: boolean, why: HawserError): void {
    const { pid, log } = this.#current;
    const facts = { session_id: this.#id, resumed, pid, reason: why.message };
    log.warn("the session was recovered", facts);
    const notice: RecoveredNotice = { type: "hawser", subtype: "recovered", ...facts };
    this.observation.observer?.onRecovered(notice);
    this.#listener.onRecovered(notice);
  }

  #allServers(dynamic = this.#servers): Servers {
    const { mcpServers } = this.#options;
    return {
      ...(typeof mcpServers === "object" ? mcpServers : {}),
      ...this.#clientTools,
      ...dynamic,
    };
  }
}

const UP: State = { name: "up" };

/**
 * The last version that is known to restart its cost totals on resume. The newest CLIs report the cost of
 * each turn, so no guess is needed.
 */
const COUNTS_ANEW: Version = [2, 1, 197];

/** The model that the CLI reports after a change; an older CLI reports none. */
function modelIn(payload: unknown): string | undefined {
  const model = getPath(payload, "model");
  return typeof model === "string" ? model : undefined;
}

const WORKING: ReadonlySet<string> = new Set(["connected", "pending", "disabled"]);

/** An older CLI never answers such a request, nor any request after it. */
function refuseUnanswerable(request: HostRequest): void {
  if (request.subtype !== "set_model" || !("model" in request)) return;
  const { model } = request;
  if (model === undefined || model === null || typeof model === "string") return;
  throw new HawserError("invalid_options", "model must be a string.", {
    issues: [{ path: "model", message: "must be a string" }],
  });
}
