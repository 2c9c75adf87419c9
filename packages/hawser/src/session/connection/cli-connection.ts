import {
  type ErrorFacts,
  faultReporter,
  type HawserError,
  hostMask,
  type Logger,
  type Mask,
} from "../../base/index.js";
import { ControlLine, type ControlListener, type RequestOptions } from "../../control/index.js";
import type { Invocation, Options } from "../../options/index.js";
import type { CliProcess } from "../../process/index.js";
import { type CloseOptions, SubprocessLine } from "../../transport/index.js";
import {
  type AssistantLine,
  type HostRequest,
  type InitializePayload,
  isMessage,
  isResult,
  isSystem,
  type McpMessage,
  type Message,
  type StreamEvent,
  type SystemInit,
  type UserLine,
} from "../../wire/index.js";
import { AnnouncedSession } from "../answer/announced-session.js";
import { HostMcpServers, type McpMessageSink } from "../answer/host-mcp-servers.js";
import { permissionContextOf } from "../answer/permission-context.js";
import { createRequestHandler } from "../answer/request-handler.js";
import { PendingHostRequests } from "../idle/pending-host-requests.js";
import type { Observation } from "../observe/observation.js";
import type { PrestartedProcess, ProcessStart } from "../session-start.js";
import { withPhaseLimit } from "../timeouts.js";
import { checkSettings, expectedOf } from "./check-settings.js";
import type { ConnectionListener } from "./connection-listener.js";
import { EarlyMessages } from "./early-messages.js";
import { logApiRetry } from "./log-api-retry.js";
import { requireKeptMode } from "./require-kept-mode.js";
import { requireServers } from "./require-servers.js";
import { openStoreBridge, type StoreBridge, type StoreListener } from "./store-bridge.js";

type Servers = Parameters<HostMcpServers["set"]>[0];

/**
 * `ready`: the CLI has answered initialize, and every check has passed. `failed`: the start failed, or the process
 * must not be used any more. `ended`: the process has ended after it had been ready.
 */
type ConnectionState = "starting" | "ready" | "failed" | "ended";

/** One process of the CLI, from its start to its end: opened, initialized, checked, answered. */
export class CliConnection implements ControlListener, McpMessageSink, StoreListener {
  /** The CLI's answer to initialize, once it has passed every check. */
  readonly ready: Promise<InitializePayload>;
  /** Resolves when the process runs, or will never run. */
  readonly whenStarted: Promise<unknown>;

  readonly #options: Options;
  readonly #warm: PrestartedProcess | undefined;
  readonly #listener: ConnectionListener;
  readonly #hostRequests: PendingHostRequests;
  readonly #early = new EarlyMessages();
  readonly #opened: Promise<ControlLine>;
  /** Resolves when the line is open, and the checks that must come before a prompt have passed. */
  readonly #readyForPrompts: Promise<ControlLine>;
  /** The process is gone, and the store has all that it wrote. */
  readonly #whenOver: Promise<void>;
  #settleOver: () => void = () => {};
  #state: ConnectionState = "starting";
  /** Whether this side has closed or killed the process. */
  #isClosed = false;
  #line: SubprocessLine;
  #control: ControlLine | undefined;
  #store: StoreBridge | undefined;
  #giveUpStore: () => void = () => {};
  #servers: HostMcpServers | undefined;
  #programServers: Servers;
  readonly #announced = new AnnouncedSession();
  #info: InitializePayload | undefined;
  /** Whether the CLI has reported another version than the process was prepared for. */
  #isOtherVersion = false;
  #holds = false;
  #release: (() => void) | undefined;

  constructor(
    options: Options,
    servers: Servers,
    { bootMs, warm }: ProcessStart,
    listener: ConnectionListener,
    observation: Observation,
  ) {
    this.#options = options;
    this.#warm = warm;
    this.#programServers = servers;
    this.#listener = listener;
    this.#hostRequests = new PendingHostRequests(listener);
    this.#whenOver = new Promise((resolve) => {
      this.#settleOver = resolve;
    });
    this.#line = new SubprocessLine(options, warm, "unverified");
    this.#opened = this.#open(observation);
    this.ready = this.#initialize(bootMs);
    this.#readyForPrompts = this.#awaitChecks();
    this.whenStarted = this.#opened.catch(() => {});
    // These promises may have no listener; without a handler Node would report an unhandled rejection.
    for (const each of [this.ready, this.#readyForPrompts]) each.catch(() => {});
  }

  /** Whether the CLI has been ready, also if its process has ended since. */
  get wasReady(): boolean {
    return this.#state === "ready" || this.#state === "ended";
  }

  get wasStarted(): boolean {
    return this.#line.wasStarted;
  }

  /** The CLI's answer to initialize, once it is there. */
  get info(): InitializePayload | undefined {
    return this.#info;
  }

  get pid(): number | undefined {
    return this.#line.pid;
  }

  /** The invocation that the CLI was started with. Throws before the start. */
  get invocation(): Invocation {
    return this.#line.invocation;
  }

  get log(): Logger {
    return this.#line.log;
  }

  get mask(): Mask | undefined {
    return this.#line.mask;
  }

  /** The facts that are known by now, for an error about this process. */
  get facts(): ErrorFacts {
    return this.#line.facts;
  }

  /** Sends a prompt or a message of the history, in the order of the calls. */
  async sendPrompt(message: UserLine | AssistantLine, encoded?: string): Promise<void> {
    const control = await this.#readyForPrompts;
    await control.send(message, encoded);
  }

  async request(request: HostRequest, options?: RequestOptions): Promise<unknown> {
    const control = await this.#opened;
    requireKeptMode(request, this.facts, this.#options);
    return control.request(request, options);
  }

  /** If the CLI is gone or refuses, the server finds out by the end of its link. */
  sendMcpMessage(server_name: string, message: McpMessage): void {
    this.request({ subtype: "mcp_message", server_name, message }).catch(() => {});
  }

  /** Kills a process that no prompt must reach any more. */
  async killFor(why: HawserError): Promise<void> {
    const isOver = this.#isOver;
    this.#state = "failed";
    if (!isOver) this.#listener.onEnd(why);
    await this.kill();
  }

  renew(): void {
    this.#line.deadline?.renew();
  }

  /** Ends the CLI's input: it finishes its work and exits. */
  async endInput(): Promise<void> {
    await this.#line.endInput();
  }

  /**
   * Sets the MCP servers of this program that the CLI may talk to from now on. Gives the names that
   * another server had before.
   */
  setServers(servers: Servers): readonly string[] {
    this.#programServers = servers;
    return this.#servers?.set(servers) ?? [];
  }

  /** Whether a caller waits for messages, so that the program must not end before. */
  holdProgram(hold: boolean): void {
    this.#holds = hold;
    if (!hold) {
      this.#release?.();
      this.#release = undefined;
    } else this.#release ??= this.#control?.hold();
  }

  /** Pauses or resumes the reading of the output. */
  setPaused(paused: boolean): void {
    this.log.debug(paused ? "reading is paused: a reader is too far behind" : "reading is resumed");
    if (paused) this.#control?.pause();
    else this.#control?.resume();
  }

  /** Detaches the process, if nothing is under way. This connection is over then. */
  detach(): CliProcess | undefined {
    const isQuiet = this.#state === "ready" && this.#control?.isQuiet;
    // What is known about reuse depends on the version.
    if (!isQuiet || this.#store !== undefined || this.#isOtherVersion) return undefined;
    return this.#line.detach();
  }

  close(options?: CloseOptions): Promise<void> {
    return this.#end(() => this.#line.close(options));
  }

  kill(): Promise<void> {
    return this.#end(() => this.#line.kill());
  }

  /** A message of the CLI, by the control line. */
  onMessage(message: Message, size: number): void {
    if (this.#isOver) return;
    if (isSystem(message, "init")) this.#observeInit(message);
    this.#announced.observe(message);
    if (this.#isOver) return;
    if (!this.wasReady) this.#early.observe(message);
    if (this.#early.isHolding) {
      this.#early.hold(() => this.onMessage(message, size));
      return;
    }
    if (isMessage(message, "transcript_mirror")) {
      this.#store?.add(message);
      return;
    }
    if (this.#store === undefined) {
      this.#handOn(message, size);
      return;
    }
    const done = isResult(message) ? this.#hostRequests.begin() : () => {};
    this.#store.handOn(isResult(message), () => {
      done();
      // The store lacks a part of the turn, so the turn has no result.
      if (!isResult(message) || this.#store?.failure === undefined) this.#handOn(message, size);
    });
  }

  /** No other tool begins. The exit of the process ends the session with the error of the store. */
  onStoreFailure(): void {
    void this.kill();
  }

  onEvents(events: readonly StreamEvent[], size: number): void {
    if (this.#isOver) return;
    if (!this.wasReady) for (const event of events) this.#early.observe(event);
    if (this.#early.isHolding) this.#early.hold(() => this.onEvents(events, size));
    else if (this.#store === undefined) this.#listener.onEvents(events, size);
    else this.#store.handOn(false, () => this.#listener.onEvents(events, size));
  }

  onCorrupt(error: HawserError): void {
    this.#listener.onCorrupt(error);
  }

  onEnd(error: unknown): void {
    this.#early.deliver();
    void this.#settle(this.#explain(error));
  }

  #observeInit({ claude_code_version }: SystemInit): void {
    try {
      this.#isOtherVersion ||= !this.#line.verifyVersion(claude_code_version);
    } catch (error) {
      void this.killFor(error as HawserError);
    }
  }

  async #open(observation: Observation): Promise<ControlLine> {
    try {
      const opening = openStoreBridge(this.#options, this);
      this.#giveUpStore = opening.giveUp;
      this.#store = await opening.bridge;
      // A line that was closed meanwhile stays closed.
      if (this.#store && !this.#isClosed) {
        this.#line = new SubprocessLine(this.#store.options, undefined, "unverified");
      }
      await this.#line.connect();
    } catch (error) {
      await this.#settle(error);
      throw error;
    }
    const report = faultReporter(this.log, this.mask ?? hostMask());
    this.#servers = new HostMcpServers(this, this.log, report);
    this.#servers.set(this.#programServers);
    const handler = createRequestHandler({
      options: this.#options,
      servers: this.#servers,
      log: this.log,
      report,
      permissionContext: () => permissionContextOf(this.invocation, this.#servers, this.#announced),
      announced: this.#announced,
      cliVersion: () => this.facts.cliVersion,
      observation,
    });
    const control = new ControlLine(this.#line, this.#hostRequests.during(handler), this, this.log);
    this.#control = control;
    control.start();
    this.holdProgram(this.#holds);
    return control;
  }

  async #initialize(bootMs: number): Promise<InitializePayload> {
    try {
      // A process that has answered initialize before has nothing left to do.
      if (this.#warm?.info !== undefined) return await this.#boot();
      return await withPhaseLimit(this.#boot(), "boot", bootMs, this.#warm?.isAhead !== true);
    } catch (error) {
      const why = this.#explain(error);
      this.#tellEnd(why);
      // A process that failed its start is of no use.
      await this.kill();
      throw why;
    }
  }

  async #boot(): Promise<InitializePayload> {
    const control = await this.#opened;
    const answer = this.#warm?.info ?? (await this.#introduce(control));
    this.#line.deadline?.handOver();
    if (this.#state === "starting") this.#state = "ready";
    this.#info = answer;
    this.#early.deliver();
    return answer;
  }

  async #introduce(control: ControlLine): Promise<InitializePayload> {
    const { late = [], isAhead = false } = this.#warm ?? {};
    const how = { ...NO_LIMIT, holds: !isAhead };
    const requests = [...late, this.invocation.initialize];
    const replies = await Promise.all(requests.map((request) => control.request(request, how)));
    const answer = replies.at(-1) as InitializePayload;
    this.#isOtherVersion ||= !this.#line.verifyVersion(answer?.claude_code_version);
    this.#early.deliver();
    // Files that cannot be removed now are removed when the process has ended.
    this.#line.initialized().catch(() => {});
    const expected = expectedOf(this.invocation, this.#options);
    if (expected !== undefined) {
      checkSettings(await control.request({ subtype: "get_settings" }, NO_LIMIT), expected);
    }
    await requireServers(this.#options, control, async (names) => this.#servers?.linked(names));
    return answer;
  }

  async #awaitChecks(): Promise<ControlLine> {
    const control = await this.#opened;
    const isChecked = expectedOf(this.invocation, this.#options) !== undefined;
    if (isChecked || this.#options.requireMcp) await this.ready;
    return control;
  }

  async #end(endLine: () => Promise<void>): Promise<void> {
    this.#isClosed = true;
    this.#giveUpStore();
    this.#control?.resume();
    await endLine();
    await this.#whenOver;
  }

  async #settle(why: unknown): Promise<void> {
    this.#servers?.close();
    await this.#store?.close();
    this.#tellEnd(why);
    this.#settleOver();
  }

  get #isOver(): boolean {
    return this.#state === "failed" || this.#state === "ended";
  }

  /** Reports the end to the listener, at most once: the exit after a failed start is not reported again. */
  #tellEnd(error: unknown): void {
    if (this.#isOver) return;
    // A process that failed is not replaced by another.
    const { failure } = this.#store ?? {};
    this.#state = this.#state === "ready" && failure === undefined ? "ended" : "failed";
    this.#listener.onEnd(failure ?? error);
  }

  #handOn(message: Message, size: number): void {
    logApiRetry(message, this.log);
    this.#listener.onMessage(message, size);
  }

  #explain(error: unknown): unknown {
    if (this.wasReady) return error;
    // An end that this side asked for says nothing about the CLI.
    return this.#early.explain(error, this.#isClosed ? {} : this.facts, this.mask);
  }
}

const NO_LIMIT = { timeoutMs: Number.POSITIVE_INFINITY };
