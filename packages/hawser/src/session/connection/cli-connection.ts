import { faultReporter, type HawserError, hostMask, type Mask } from "../../base/index.js";
import { ControlLine, type RequestOptions } from "../../control/index.js";
import type { Options } from "../../options/index.js";
import type { CliProcess } from "../../process/index.js";
import { type CloseOptions, SubprocessTransport } from "../../transport/index.js";
import {
  type HostRequest,
  type InitializePayload,
  isMessage,
  isResult,
  isSystem,
  type Message,
  type Outbound,
} from "../../wire/index.js";
import { HostMcpServers } from "../answer/host-mcp-servers.js";
import type { PermissionContext } from "../answer/permission-context.js";
import { createRequestHandler } from "../answer/request-handler.js";
import { PendingHostRequests } from "../idle/pending-host-requests.js";
import type { ProcessStart, Warm } from "../session-start.js";
import { unlessLate } from "../timeouts.js";
import { checkSettings, type Expected, expectedOf } from "./check-settings.js";
import { EarlyMessages } from "./early-messages.js";
import { requireServers } from "./require-servers.js";
import { openStoreBridge, type StoreBridge } from "./store-bridge.js";

export interface ConnectionEvents {
  readonly onMessage: (message: Message, size: number) => void;
  /** A message was lost; it may have been a result. */
  readonly onCorrupt: (error: HawserError) => void;
  /** How many requests of the CLI this side works on. */
  readonly onAsked: (pending: number) => void;
  /** Told once, last; the error says why the process ended, unless it was closed from here. */
  readonly onEnd: (error: unknown) => void;
}

type Servers = Parameters<HostMcpServers["set"]>[0];

/** One process of the CLI, from its start to its end: opened, initialized, checked, answered. */
export class CliConnection {
  /** The CLI's answer to initialize, once it has passed every check. */
  readonly ready: Promise<InitializePayload>;

  readonly #options: Options;
  readonly #warm: Warm | undefined;
  #programServers: Servers;
  readonly #events: ConnectionEvents;
  readonly #busy: PendingHostRequests;
  readonly #opened: Promise<ControlLine>;
  /** Prompts wait for this: for the checks, where there is something that must be checked first. */
  readonly #cleared: Promise<ControlLine>;
  /** The process is gone, and what it wrote is where it belongs. */
  readonly #whenOver: Promise<void>;
  #settleOver: () => void = () => {};
  #transport: SubprocessTransport;
  #stored: StoreBridge | undefined;
  #servers: HostMcpServers | undefined;
  /** The MCP servers that the CLI itself named last, those of settings files included. */
  #announcedServers: readonly string[] = [];
  #control: ControlLine | undefined;
  #holds = false;
  #release: (() => void) | undefined;
  readonly #early = new EarlyMessages();
  #info: InitializePayload | undefined;
  #isReady = false;
  #hasEnded = false;
  #isClosed = false;

  constructor(options: Options, servers: Servers, start: ProcessStart, events: ConnectionEvents) {
    this.#options = options;
    this.#warm = start.warm;
    this.#programServers = servers;
    this.#events = events;
    this.#busy = new PendingHostRequests(events.onAsked);
    this.#whenOver = new Promise((resolve) => {
      this.#settleOver = resolve;
    });
    this.#transport = new SubprocessTransport(options, start.warm);
    this.#opened = this.#open();
    this.ready = this.#initialize(start.bootMs);
    this.#cleared = this.#clear();
    // Whoever waits for any of these is told; nobody has to.
    for (const each of [this.#opened, this.ready, this.#cleared]) each.catch(() => {});
  }

  get transport(): SubprocessTransport {
    return this.#transport;
  }

  get mask(): Mask | undefined {
    return this.#transport.mask;
  }

  /** The same once it is there. */
  get info(): InitializePayload | undefined {
    return this.#info;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** In the order of the calls. */
  async prompt(line: Outbound): Promise<void> {
    const control = await this.#cleared;
    await control.send(line);
  }

  async request(request: HostRequest, options?: RequestOptions): Promise<unknown> {
    const control = await this.#opened;
    return control.request(request, options);
  }

  /** Of no use any more: no prompt must reach it. */
  async killFor(why: HawserError): Promise<void> {
    this.#isReady = false;
    this.#tellEnd(why);
    await this.kill();
  }

  /** Ends the CLI's input: it finishes what it has been given, and exits. */
  async endInput(): Promise<void> {
    await this.transport.endInput();
  }

  /** The servers of this program that the CLI may talk to from now on; gives those that are others. */
  setServers(servers: Servers): readonly string[] {
    this.#programServers = servers;
    return this.#servers?.set(servers) ?? [];
  }

  /** Whether what comes is waited for, so that the program must not end before. */
  holdProgram(hold: boolean): void {
    this.#holds = hold;
    if (!hold) {
      this.#release?.();
      this.#release = undefined;
    } else this.#release ??= this.#control?.hold();
  }

  pause(paused: boolean): void {
    const { log } = this.transport;
    log.debug(paused ? "reading stops: a reader is too far behind" : "reading goes on");
    if (paused) this.#control?.pause();
    else this.#control?.resume();
  }

  /** Gives the process away, if it is at rest; then this is over, as if it had been closed. */
  detach(): CliProcess | undefined {
    const atRest = this.#isReady && !this.#hasEnded && this.#control?.isQuiet;
    return atRest && this.#stored === undefined ? this.transport.detach() : undefined;
  }

  async close(options?: CloseOptions): Promise<void> {
    this.#isClosed = true;
    this.#control?.resume();
    await this.transport.close(options);
    await this.#whenOver;
  }

  async kill(): Promise<void> {
    this.#isClosed = true;
    this.#control?.resume();
    await this.transport.kill();
    await this.#whenOver;
  }

  async #open(): Promise<ControlLine> {
    try {
      this.#stored = await openStoreBridge(this.#options, (message) => this.#receive(message, 0));
      // A transport that was closed meanwhile stays closed.
      if (this.#stored && !this.#isClosed) {
        this.#transport = new SubprocessTransport(this.#stored.options);
      }
      await this.transport.connect();
    } catch (error) {
      await this.#close(error);
      throw error;
    }
    const { log } = this.transport;
    const report = faultReporter(log, this.mask ?? hostMask());
    this.#servers = new HostMcpServers(
      (server_name, message) => {
        // The CLI is gone, or does not care: the server finds out by the end of its link.
        this.request({ subtype: "mcp_message", server_name, message }).catch(() => {});
      },
      log,
      report,
    );
    this.#servers.set(this.#programServers);
    const control = new ControlLine(
      this.transport,
      this.#busy.during(
        createRequestHandler({
          options: this.#options,
          servers: this.#servers,
          log,
          report,
          permissionContext: () => this.#permissionContext(),
        }),
      ),
      {
        onMessage: (message, size) => this.#receive(message, size),
        onCorrupt: this.#events.onCorrupt,
        onEnd: (error) => {
          this.#handOnEarly();
          void this.#close(this.#explain(error));
        },
      },
      log,
    );
    this.#control = control;
    control.start();
    this.holdProgram(this.#holds);
    return control;
  }

  async #close(why: unknown): Promise<void> {
    this.#servers?.close();
    await this.#stored?.close();
    this.#tellEnd(why);
    this.#settleOver();
  }

  async #initialize(bootMs: number): Promise<InitializePayload> {
    try {
      return await unlessLate(this.#boot(), "boot", bootMs, this.#warm?.isAhead !== true);
    } catch (error) {
      const why = this.#explain(error);
      this.#tellEnd(why);
      // Nothing that failed its start is of any use to anybody.
      await this.kill();
      throw why;
    }
  }

  async #boot(): Promise<InitializePayload> {
    const control = await this.#opened;
    const answer = this.#warm?.info ?? (await this.#introduce(control));
    this.#isReady = true;
    this.#info = answer;
    this.#handOnEarly();
    return answer;
  }

  async #introduce(control: ControlLine): Promise<InitializePayload> {
    const { initialize } = this.transport.invocation;
    const { late = [], isAhead = false } = this.#warm ?? {};
    const how = { ...NO_LIMIT, holds: !isAhead };
    const requests = [...late, initialize];
    const replies = await Promise.all(requests.map((request) => control.request(request, how)));
    this.#handOnEarly();
    // What cannot be removed now is removed when the process has ended.
    this.transport.initialized().catch(() => {});
    const expected = this.#expected();
    if (expected !== undefined) {
      checkSettings(await control.request({ subtype: "get_settings" }, NO_LIMIT), expected);
    }
    await requireServers(this.#options, control, async (names) => this.#servers?.linked(names));
    return replies.at(-1) as InitializePayload;
  }

  async #clear(): Promise<ControlLine> {
    const control = await this.#opened;
    if (this.#expected() !== undefined || this.#options.requireMcp) await this.ready;
    return control;
  }

  #expected(): Expected | undefined {
    return expectedOf(this.transport.invocation, this.#options);
  }

  /** Once: after a start that failed, the end of the process is only the consequence. */
  #tellEnd(error: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#events.onEnd(error);
  }

  /** What came before the answer to initialize, when it is known that there is no refusal. */
  #handOnEarly(): void {
    this.#early.deliver((message, size) => this.#receive(message, size));
  }

  #receive(message: Message, size: number): void {
    if (this.#hasEnded) return;
    if (isSystem(message, "init") && Array.isArray(message.mcp_servers)) {
      this.#announcedServers = message.mcp_servers
        .map((server: { name?: unknown } | null) => server?.name)
        .filter((name) => typeof name === "string");
    }
    if (!this.#isReady) this.#early.observe(message);
    if (this.#early.hold(message, size)) return;
    if (isMessage(message, "transcript_mirror")) {
      this.#stored?.add(message);
      return;
    }
    if (this.#stored === undefined) {
      this.#handOn(message, size);
      return;
    }
    const done = isResult(message) ? this.#busy.begin() : () => {};
    this.#stored.handOn(message, () => {
      done();
      this.#handOn(message, size);
    });
  }

  #handOn(message: Message, size: number): void {
    if (isSystem(message, "api_retry")) {
      const { attempt, max_retries: of, retry_delay_ms: inMs, error } = message;
      this.transport.log.warn("the CLI retries", { attempt, of, inMs, error });
    }
    this.#events.onMessage(message, size);
  }

  #permissionContext(): PermissionContext {
    const { cwd, env } = this.transport.invocation;
    return {
      cwd,
      home: env["HOME"] ?? env["USERPROFILE"],
      mcpServers: [...new Set([...(this.#servers?.names ?? []), ...this.#announcedServers])],
    };
  }

  #explain(error: unknown): unknown {
    if (this.#isReady) return error;
    // An end that was asked for says nothing about the CLI.
    return this.#early.explain(error, this.#isClosed ? {} : this.transport.facts, this.mask);
  }
}

const NO_LIMIT = { timeoutMs: Number.POSITIVE_INFINITY };
