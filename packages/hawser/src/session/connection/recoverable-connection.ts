import { HawserError, isHawserError } from "../../base/index.js";
import type { RequestOptions } from "../../control/index.js";
import {
  compareVersions,
  type McpServerConfig,
  type Options,
  parseVersion,
  type Version,
} from "../../options/index.js";
import { isWritten } from "../../transcripts/index.js";
import {
  type HostRequest,
  isResult,
  isSystem,
  type Message,
  type Outbound,
  type RecoveredNotice,
  type SystemInit,
} from "../../wire/index.js";
import { enrich } from "../session-error.js";
import type { ProcessStart, Warm } from "../session-start.js";
import { warnOfKey, warnOfUnknownAgent } from "../startup-warnings.js";
import { spentOn, TurnCosts } from "../turns/turn-cost.js";
import type { TurnRecord } from "../turns/turn-record.js";
import { CliConnection, type ConnectionEvents } from "./cli-connection.js";
import { ReplayedSettings, resuming, withoutSpent } from "./replayed-settings.js";

export interface LifelineEvents extends ConnectionEvents {
  readonly onReady: () => void;
  readonly onRecovered: (notice: RecoveredNotice) => void;
}

type Servers = Readonly<Record<string, McpServerConfig>>;

/**
 * The process of a session, or one after another: when one has ended and the session is to be
 * recovered, the next that is needed resumes the conversation in the state it was in.
 */
export class RecoverableConnection {
  readonly #options: Options;
  readonly #bootMs: number;
  readonly #events: LifelineEvents;
  readonly #remembered = new ReplayedSettings();
  #connection: CliConnection;
  #spending: TurnCosts;
  #model: string | undefined;
  #servers: Servers = {};
  #id: string | undefined;
  #begun = false;
  #resumed: boolean;
  #spentUsd = 0;
  #mcpServers: SystemInit["mcp_servers"] | undefined;
  /** Settles when a new process is in the state of the old one. */
  #restored: Promise<void> | undefined;
  /** The MCP servers that were last told to be down. */
  #toldServers = "[]";
  /** Why the process is gone, while a new one can take its place. */
  #down: HawserError | undefined;

  constructor(options: Options, { bootMs, warm }: ProcessStart, events: LifelineEvents) {
    this.#options = options;
    this.#bootMs = bootMs;
    this.#events = events;
    this.#spending = new TurnCosts(warm?.before);
    const { sessionId = warm?.sessionId, resume, forkSession } = options;
    this.#id = sessionId ?? (forkSession ? undefined : resume);
    this.#resumed = options.resume !== undefined || options.continue === true;
    this.#connection = this.#connect(options, warm);
  }

  /** Of the session. */
  get id(): string | undefined {
    return this.#id;
  }

  /** The state of its MCP servers, as the newest turn found them; undefined before the first. */
  get mcpServers(): SystemInit["mcp_servers"] | undefined {
    return this.#mcpServers;
  }

  /** As the newest turn began with it. */
  get model(): string | undefined {
    return this.#model;
  }

  get current(): CliConnection {
    return this.#connection;
  }

  get isDown(): boolean {
    return this.#down !== undefined;
  }

  get canRecover(): boolean {
    const { recover, persistSession } = this.#options;
    return recover === true && persistSession !== false && this.#connection.isReady;
  }

  /** To be told of every message. */
  observe(message: Message): void {
    const id = "session_id" in message ? message.session_id : undefined;
    if (typeof id === "string" && id !== "") this.#id = id;
    if (isResult(message)) {
      this.#spending.add(message, this.#totalAtFirst());
      this.#spentUsd += spentOn(message).costUsd ?? 0;
    }
    if (isSystem(message, "init")) {
      this.#begun = true;
      this.#model = message.model;
      this.#mcpServers = message.mcp_servers;
      this.#tellFailedServers(message.mcp_servers);
    }
  }

  /** A prompt never runs in a state that is not the session's. */
  prompt(line: Outbound): Promise<void> {
    const connection = this.#connection;
    return this.#restored?.then(() => connection.prompt(line)) ?? connection.prompt(line);
  }

  async request(request: HostRequest, options?: RequestOptions): Promise<unknown> {
    refuseUnanswerable(request);
    try {
      const payload = await this.#connection.request(request, options);
      this.#remembered.add(request);
      return payload;
    } catch (error) {
      throw this.enrich(error);
    }
  }

  /** The names of all servers there would be with these beside those of the options. */
  serverNames(servers: Servers): readonly string[] {
    return Object.keys(this.#allServers(servers));
  }

  /** The servers of this program beside those of the options. */
  setServers(servers: Servers): readonly string[] {
    this.#servers = servers;
    return this.#connection.setServers(this.#allServers());
  }

  /** The process is gone, but the session is not over. */
  markDown(why: HawserError): void {
    this.#down = why;
  }

  /** A new process in place of one that is gone; whether there was need for it. */
  reconnect(): boolean {
    const why = this.#down;
    if (why === undefined) return false;
    this.#down = undefined;
    const id = this.#begun ? this.#id : undefined;
    const options = withoutSpent(this.#options, this.#spentUsd);
    const connection = this.#connect(id === undefined ? options : resuming(options, id));
    this.#connection = connection;
    this.#spending = new TurnCosts();
    this.#resumed = id !== undefined;
    this.#restored = this.#restore(connection);
    connection.ready.then(
      () => this.#recovered(id !== undefined, why),
      // Its end tells why.
      () => {},
    );
    return true;
  }

  /** Any failure, with what is known of the process, the session and the turn. */
  enrich(error: unknown, record?: TurnRecord): HawserError {
    const { transport } = this.#connection;
    const id = this.#id;
    const session =
      id === undefined ? {} : { sessionId: id, resumable: this.#isResumable(id, error) };
    return enrich(error, record, { ...transport.facts, ...session }, transport.mask);
  }

  /** Of a process that died, nothing more will be written; a remote one writes somewhere else. */
  #isResumable(id: string, error: unknown): boolean {
    const { persistSession, spawnClaudeCodeProcess } = this.#options;
    if (!this.#begun || persistSession === false) return false;
    if (!isHawserError(error, "process_exited") || spawnClaudeCodeProcess !== undefined)
      return true;
    return isWritten(id, this.#connection.transport.invocation.env);
  }

  #connect(options: Options, warm?: Warm): CliConnection {
    const servers = this.#allServers();
    const start = { bootMs: this.#bootMs, warm };
    const connection = new CliConnection(options, servers, start, this.#events);
    connection.ready.then(
      (info) => {
        const { log } = connection.transport;
        warnOfKey(info, options, log);
        warnOfUnknownAgent(info, options, log);
        this.#events.onReady();
      },
      // Its end tells why.
      () => {},
    );
    return connection;
  }

  /** An older CLI counts from nothing again when it resumes. */
  #totalAtFirst(): "nothing" | "unknown" {
    const { cliVersion = "" } = this.#connection.transport.facts;
    const version = parseVersion(cliVersion);
    const countsAnew = version !== undefined && compareVersions(version, COUNTS_ANEW) <= 0;
    return countsAnew || !this.#resumed ? "nothing" : "unknown";
  }

  async #restore(connection: CliConnection): Promise<void> {
    const requests = this.#remembered.requests;
    if (requests.length === 0) return;
    try {
      await Promise.all(requests.map((request) => connection.request(request)));
    } catch (error) {
      // Of a process that has ended, the end tells why.
      const why = this.enrich(error);
      if (connection.isReady || why.code === "control_error") await connection.killFor(why);
    }
  }

  #tellFailedServers(servers: readonly { readonly name: string; readonly status: string }[]): void {
    const told = Array.isArray(servers) ? servers : [];
    const down = told.filter((server) => !WORKING.has(server?.status));
    const words = JSON.stringify(down);
    if (words === this.#toldServers) return;
    this.#toldServers = words;
    if (down.length > 0)
      this.#connection.transport.log.warn("MCP servers that do not work", { servers: down });
  }

  #recovered(resumed: boolean, why: HawserError): void {
    const { pid, log } = this.#connection.transport;
    const facts = { session_id: this.#id, resumed, pid, reason: why.message };
    log.warn("the session was recovered", facts);
    this.#events.onRecovered({ type: "hawser", subtype: "recovered", ...facts });
  }

  #allServers(dynamic = this.#servers): Servers {
    const { mcpServers } = this.#options;
    return { ...(typeof mcpServers === "object" ? mcpServers : {}), ...dynamic };
  }
}

/** The newest version that is known to; the newest of all says itself what a turn has added. */
const COUNTS_ANEW: Version = [2, 1, 197];

const WORKING: ReadonlySet<string> = new Set(["connected", "pending", "disabled"]);

/** An older CLI never answers it, nor anything after it. */
function refuseUnanswerable(request: HostRequest): void {
  if (request.subtype !== "set_model" || !("model" in request)) return;
  const { model } = request;
  if (model === undefined || model === null || typeof model === "string") return;
  throw new HawserError("invalid_options", "model must be a string.", {
    issues: [{ path: "model", message: "must be a string" }],
  });
}
