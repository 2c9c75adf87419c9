import {
  deleteSession,
  isHawserError,
  type Message,
  openSession,
  type Session,
  type SessionOptions,
  type Turn,
} from "hawser";
import type { SegmentUsage } from "../../runs/claims.js";
import { LEASE_MARGIN_MS } from "../../sessions/lease-clock.js";
import type { StartedBeginning } from "./prepare-session.js";
import type { SegmentContext } from "./segment-context.js";
import type { TurnResult } from "./segment-end.js";
import { UsageWriter } from "./usage-writer.js";

/** The one turn of a segment, and the process that runs it. */
export class SegmentTurn {
  readonly #context: SegmentContext;
  readonly #usage: UsageWriter;
  readonly #starting = new AbortController();
  readonly #tasks = new Set<Promise<void>>();
  #session: Session | undefined;
  #turn: Turn | undefined;
  #reading: Promise<void> | undefined;
  #killTimer: NodeJS.Timeout | undefined;
  /** Whether the watchdog ends the process unless it is renewed. */
  #isWatched = true;

  constructor(context: SegmentContext) {
    this.#context = context;
    this.#usage = new UsageWriter(context);
  }

  /** What the turn has used so far. */
  get usage(): SegmentUsage {
    return this.#usage.usage;
  }

  /** The turn, once the CLI was asked for it: from then on, money may be spent. */
  get turn(): Turn | undefined {
    return this.#turn;
  }

  /** Starts the CLI and resolves with the result of the turn. */
  async run(beginning: StartedBeginning, options: SessionOptions): Promise<TurnResult> {
    // A CLI that resumes makes its first request by itself, as soon as it is started.
    if (beginning.type === "resumed") await this.#usage.begin();
    const session = await this.#openWatched({ ...options, signal: this.#starting.signal });
    this.#session = session;
    this.#reading = this.#read(session);
    if (beginning.type === "prompt" && beginning.history !== undefined) {
      await session.append(beginning.history);
    }
    if (beginning.type === "prompt") await this.#usage.begin();
    const turn =
      beginning.type === "resumed"
        ? session.resumedTurn()
        : session.send(beginning.prompt, { uuid: beginning.uuid });
    this.#turn = turn;
    return await turn.result;
  }

  /** This host still has the run. */
  renew(): void {
    if (this.#isWatched) this.#session?.renew();
  }

  /** Interrupts the turn, so that its transcript is whole. Kills the process if that takes too long. */
  interrupt(): void {
    if (this.#turn === undefined) {
      this.kill();
      return;
    }
    this.#context.calls.interrupt();
    this.#turn?.interrupt().catch(() => {}); // Errors surface through `result`.
    this.#killTimer ??= setTimeout(() => this.kill(), INTERRUPT_LIMIT_MS);
  }

  kill(): void {
    this.#starting.abort();
    this.#session?.kill().catch((error: unknown) => this.#fault(error));
  }

  /** Ends the process. Resolves when it is gone, and when all its messages are read. */
  async close(): Promise<void> {
    clearTimeout(this.#killTimer);
    await this.#session?.close().catch((error: unknown) => this.#fault(error));
    await this.#reading;
    await Promise.all(this.#tasks);
    await this.#usage.close();
  }

  /**
   * The watchdog ends the process before the lease is over, even if this program is frozen. Where it cannot, the guard
   * before each tool call must do.
   */
  async #openWatched(options: SessionOptions): Promise<Session> {
    const renewWithinMs = this.#context.settings.parts.leaseMs - LEASE_MARGIN_MS;
    if (options.spawnClaudeCodeProcess === undefined) {
      try {
        return await this.#open({ ...options, renewWithinMs });
      } catch (error) {
        if (!isHawserError(error, "not_supported")) throw error;
      }
    }
    this.#isWatched = false;
    return await this.#open(options);
  }

  /**
   * A session id that is new to the store can be known on this machine: its host died before the first entry was
   * stored. Nothing of it counts.
   */
  async #open(options: SessionOptions): Promise<Session> {
    try {
      return await openSession(options);
    } catch (error) {
      if (!isHawserError(error, "session_in_use") || options.sessionId === undefined) throw error;
      const { configDir = options.env?.["CLAUDE_CONFIG_DIR"] } = options;
      await deleteSession(options.sessionId, { configDir });
      return await openSession(options);
    }
  }

  async #read(session: Session): Promise<void> {
    try {
      for await (const message of session) this.#take(message);
    } catch {
      // The turn rejects with the same error.
    }
  }

  #take(message: Message): void {
    const { events, calls } = this.#context;
    this.#usage.add(message);
    // A call is parked by an interrupt. What the CLI says about it, such as that the user does not want to proceed, is
    // not true, and is not in the transcript either.
    if (calls.isParked) return;
    switch (message.type) {
      case "stream_event": {
        const text = isOfMain(message) ? textIn(message.event) : "";
        if (text !== "") events.addText(text);
        return;
      }
      case "user": {
        const results = resultsIn(message);
        if (results.length === 0) return; // The prompt, which the run has.
        this.#do(this.#endCalls(results));
        events.add({ type: "message", message });
        return;
      }
      case "assistant":
        if (isOfMain(message)) events.addMessage(message);
        else events.add({ type: "message", message });
        return;
      case "result":
        events.addMessage(message);
    }
  }

  async #endCalls(results: readonly ToolResult[]): Promise<void> {
    const { calls } = this.#context;
    const idsOf = (some: readonly ToolResult[]) => some.map(({ toolUseId }) => toolUseId);
    await calls.end(idsOf(results.filter(({ isError }) => !isError)));
    await calls.fail(idsOf(results.filter(({ isError }) => isError)));
  }

  #do(work: Promise<void>): void {
    const task = work
      .catch((error: unknown) => this.#fault(error))
      .then(() => void this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  #fault(error: unknown): void {
    if (isHawserError(error, "lease_lost")) return; // The process is being killed because of it.
    this.#context.fault("A part of a run failed.", error);
  }
}

/** After this time a CLI that does not obey an interrupt is killed. */
const INTERRUPT_LIMIT_MS = 5_000;

function isOfMain(message: { readonly parent_tool_use_id?: unknown }): boolean {
  return message.parent_tool_use_id === null || message.parent_tool_use_id === undefined;
}

function textIn(event: unknown): string {
  const { type, delta } = event as { type?: unknown; delta?: { type?: unknown; text?: unknown } };
  if (type !== "content_block_delta" || delta?.type !== "text_delta") return "";
  return typeof delta.text === "string" ? delta.text : "";
}

interface ToolResult {
  readonly toolUseId: string;
  readonly isError: boolean;
}

function resultsIn(message: { readonly message?: unknown }): ToolResult[] {
  const { content } = (message.message ?? {}) as { content?: unknown };
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  return blocks.flatMap((block) => {
    const { type, tool_use_id, is_error } = block as Record<string, unknown>;
    if (type !== "tool_result" || typeof tool_use_id !== "string") return [];
    return [{ toolUseId: tool_use_id, isError: is_error === true }];
  });
}
