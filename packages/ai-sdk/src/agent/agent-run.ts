import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import {
  type ApprovalDecision,
  type Completion,
  HawserError,
  isHawserError,
  type Usage,
} from "hawser";
import type { CallWarnings } from "../call-warnings.js";
import { providerMetadata } from "../provider-metadata.js";
import type { AgentTurn, QuestionEvent, TurnEvent, TurnHost } from "../turn/index.js";
import { toUsage } from "../usage.js";
import { agentFinishReason } from "./agent-finish-reason.js";
import { approvalIdOf } from "./approval-id.js";
import type { ParkedTurn, ParkedTurns, ParkingLimits } from "./parked-turns.js";
import { PartWriter } from "./part-writer.js";
import type { Answers } from "./read-answers.js";
import { lessUsage, NO_USAGE, sumUsage } from "./step-usage.js";
import { toolOutput } from "./tool-output.js";
import { warnOfServers } from "./warn-of-servers.js";

/** What a turn of an agent is made of. */
export interface AgentRunParts {
  readonly host: TurnHost;
  readonly turn: AgentTurn<Completion<unknown>>;
  readonly parked: ParkedTurns<AgentRun>;
  readonly limits: ParkingLimits;
  readonly maxResultChars: number;
  /** Whether the answer is a value by schema. */
  readonly hasSchema: boolean;
}

/** One request that a turn answers. */
export interface StepOptions {
  readonly signal: AbortSignal | undefined;
  /** `generateText()` wants the call and its result in the same step; a page would show the call twice. */
  readonly repeatsCalls: boolean;
  readonly includeRawChunks: boolean;
  /** Gets the warnings that are known when the CLI has begun. */
  readonly warnings: CallWarnings;
  /** The error for the AI SDK. */
  readonly failed: (error: unknown, isPaid: boolean) => unknown;
}

/**
 * A turn of the CLI's agent that answers one request after the other. A request ends when the turn is over, or when it
 * waits for the caller. Then the turn is parked, until the next request brings the answers.
 */
export class AgentRun implements ParkedTurn {
  readonly #parts: AgentRunParts;
  readonly #writer: PartWriter;
  /** The event that a reader waits for. It outlives the step in which it was asked for. */
  #next: Promise<TurnEvent | undefined> | undefined;
  #stopReason: string | undefined;
  #stepUsage: Usage | undefined;
  /** The usage of the earlier steps. */
  #toldUsage: Usage | undefined;
  #isPaid = false;
  /** The step that is being written; undefined while the turn waits for another request. */
  #current: StepOptions | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: AgentRunParts) {
    this.#parts = parts;
    const { maxResultChars, hasSchema } = parts;
    this.#writer = new PartWriter({ maxResultChars, hidesText: hasSchema });
    parts.parked.add(this);
  }

  /**
   * Gives the answers of a request to the turn. An answer that the CLI no longer waits for has no effect. If an answer
   * cannot be given, the turn ends.
   */
  async answer(answers: Answers, warnings: CallWarnings): Promise<void> {
    try {
      await this.#give(answers, warnings);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async #give({ approvals, results }: Answers, warnings: CallWarnings): Promise<void> {
    const { host } = this.#parts;
    for (const { approvalId, approved, reason } of approvals) {
      const question = host.waiting.find(
        (waiting): waiting is QuestionEvent =>
          waiting.type === "question" && idOf(waiting) === approvalId,
      );
      if (question === undefined || question.approval.kind === "elicitation") continue;
      const { id, toolUseId } = question.approval;
      const decision = decisionOf(question, approved, reason);
      this.#writer.answered(toolUseId, !approved);
      await host.answerApproval(id, decision);
    }
    for (const { toolCallId, output } of results) {
      this.#writer.answered(toolCallId, false);
      host.answerToolCall(toolCallId, toolOutput(output, warnings));
    }
  }

  /**
   * The parts of one request, without `stream-start`. Throws if the turn fails before the model has begun, or because of
   * an abort. A failure after the beginning is an `error` part, followed by `finish`. A reader that leaves ends the turn.
   */
  async *step(options: StepOptions): AsyncGenerator<LanguageModelV4StreamPart, undefined> {
    const { signal, failed } = options;
    this.#writer.begin(options.repeatsCalls);
    this.#stepUsage = undefined;
    this.#current = options;
    try {
      let lastAt = performance.now();
      for (;;) {
        const idleMs = performance.now() - lastAt;
        if (this.#writer.isBlocked(idleMs)) {
          const parts = [...this.#writer.park()];
          const finish = this.#finishParked();
          // Parked before the reader gets the end, because the answer may come at once.
          this.#current = undefined;
          this.#parts.parked.park(this, this.#writer.waits, this.#parts.limits);
          yield* parts;
          yield finish;
          return;
        }
        yield* this.#writer.reveal(idleMs);
        const event = await this.#nextEvent(this.#writer.patienceMs, signal);
        if (event === "nothing") continue;
        if (event === undefined) break;
        lastAt = performance.now();
        yield* this.#partsOf(event, options);
      }
      yield* this.#writer.end();
      yield* this.#finish(await this.#parts.turn.outcome);
    } catch (error) {
      const told = failed(error, this.#isPaid);
      if (!this.#isPaid || signal?.aborted === true) throw told;
      yield* this.#writer.end();
      yield { type: "error", error: told };
      const raw = isHawserError(error) ? error.code : undefined;
      yield {
        type: "finish",
        finishReason: { unified: "error", raw },
        usage: toUsage(this.#stepUsage),
      };
    } finally {
      await this.leave(options);
    }
  }

  /** The reader of a step wants no more: ends the turn, unless it waits for another request, or answers it already. */
  async leave(step: StepOptions): Promise<void> {
    if (this.#current === step) await this.close();
  }

  /** Denies what waits, and ends the process. Resolves when the process is gone. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { host, turn, parked } = this.#parts;
    turn.interrupt();
    await host.close();
    // A reader that still waits gets the reason.
    await turn.outcome.catch(() => {});
    parked.delete(this);
  }

  *#partsOf(event: TurnEvent, options: StepOptions): Iterable<LanguageModelV4StreamPart> {
    if (event.type === "round_start") {
      this.#isPaid = true;
      const { messageId: id, model: modelId } = event;
      yield { type: "response-metadata", id, modelId, timestamp: new Date() };
    }
    if (event.type === "round_end") {
      this.#stopReason = event.stopReason ?? this.#stopReason;
      this.#stepUsage = sumUsage(this.#stepUsage, event.usage);
    }
    if (event.type === "message") {
      warnOfServers(event.message, options.warnings);
      if (options.includeRawChunks) yield { type: "raw", rawValue: event.message };
    }
    yield* this.#writer.write(event);
  }

  /** The next event, `"nothing"` after the given time without one, or undefined at the end of the turn. */
  async #nextEvent(
    patienceMs: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<TurnEvent | "nothing" | undefined> {
    signal?.throwIfAborted();
    this.#next ??= this.#parts.turn.next();
    const waits: Promise<TurnEvent | "nothing" | undefined>[] = [this.#next];
    const over = new AbortController();
    const timer = new Promise<"nothing">((resolve) => {
      if (patienceMs === undefined) return;
      const handle = setTimeout(() => resolve("nothing"), patienceMs);
      over.signal.addEventListener("abort", () => clearTimeout(handle), { once: true });
    });
    const aborted = new Promise<never>((_, reject) => {
      const onAbort = () => reject(signal?.reason);
      signal?.addEventListener("abort", onAbort, { once: true, signal: over.signal });
    });
    try {
      const event = await Promise.race([...waits, timer, aborted]);
      if (event !== "nothing") this.#next = undefined;
      return event;
    } catch (error) {
      if (signal?.aborted === true) this.#next?.catch(() => {});
      else this.#next = undefined;
      throw error;
    } finally {
      over.abort();
    }
  }

  #finishParked(): LanguageModelV4StreamPart {
    this.#toldUsage = sumUsage(this.#toldUsage, this.#stepUsage);
    const { parkedMs } = this.#parts.limits;
    const expiresAt = new Date(Date.now() + parkedMs).toISOString();
    const toolCallIds = this.#writer.waits.map(({ toolCallId }) => toolCallId);
    return {
      type: "finish",
      finishReason: { unified: "tool-calls", raw: "waiting" },
      // A step in which the main model was not asked used none of its tokens.
      usage: toUsage(this.#stepUsage ?? NO_USAGE),
      providerMetadata: { hawser: { waiting: { toolCallIds, expiresAt } } },
    };
  }

  *#finish(completion: Completion<unknown>): Iterable<LanguageModelV4StreamPart> {
    if (this.#parts.hasSchema) {
      const { value, text } = completion;
      // The text has a value that is no object inside of one. A turn that was stopped has no value.
      const delta = value === undefined ? text : JSON.stringify(value);
      yield { type: "text-start", id: "value" };
      yield { type: "text-delta", id: "value", delta };
      yield { type: "text-end", id: "value" };
    }
    yield {
      type: "finish",
      finishReason: agentFinishReason(completion.stop, this.#stopReason),
      // The total also has the rounds of sub-agents.
      usage: toUsage(lessUsage(completion.usage, this.#toldUsage)),
      providerMetadata: providerMetadata(completion),
    };
  }
}

function idOf({ approval }: QuestionEvent): string {
  return approval.kind === "elicitation"
    ? approval.id
    : approvalIdOf(approval.id, approval.toolUseId);
}

/** The AI SDK knows approved and denied, with a reason. The reason of an approved question is its answer. */
function decisionOf(
  { approval }: QuestionEvent,
  approved: boolean,
  reason: string | undefined,
): ApprovalDecision {
  if (!approved) return { behavior: "deny", ...(reason ? { message: reason } : {}) };
  if (approval.kind !== "question") return { behavior: "allow" };
  if (!reason) return { behavior: "deny", message: "The user gave no answer." };
  const answers = Object.fromEntries(approval.questions.map(({ question }) => [question, reason]));
  return { behavior: "answer", answers };
}

/** The error of a request whose answers were given before. */
export function answeredBefore(): HawserError {
  return new HawserError(
    "invalid_options",
    "The answers of this request were given before: their turn goes on, or is over.",
    {
      hint: "An approval or a tool result counts once, so that no tool runs twice. Continue the conversation with a new message.",
      issues: [{ path: "prompt", message: "ends with answers that were given before" }],
    },
  );
}
