import { type CredentialInfo, credentialOf, type Stop } from "../session/index.js";
import type {
  ContentBlock,
  ModelUsage,
  PermissionDenial,
  ResultMessage,
  Usage,
} from "../wire/index.js";
import type { Tally } from "./tally.js";

/** The times of a call in milliseconds. A time that was not observed is `undefined`. */
export interface Timing {
  /** The time in the queue of a pool. */
  readonly queuedMs: number | undefined;
  /** From the call, or the end of its time in the queue, until the CLI was ready. */
  readonly bootMs: number | undefined;
  /** From the call to the first token of the model. */
  readonly firstTokenMs: number | undefined;
  /** The time that the CLI waited for the API, summed over all requests. */
  readonly apiMs: number | undefined;
  /** From the time the CLI was ready to the outcome. */
  readonly runMs: number | undefined;
  /** From the call to its outcome. */
  readonly totalMs: number;
}

/**
 * The outcome of a call that was answered. `T` is the type of `value`; without a schema it is `undefined`.
 */
export interface Completion<T = undefined> {
  /**
   * The answer: the model's last message, or with a `schema` its JSON. The answer is the same whether
   * the work took one run or `autoResume` made it several. If the call stopped at `maxTurns`, `maxBudgetUsd` or
   * a deferred tool call, there is no answer: then this is all that the model said, the runs separated by a
   * blank line.
   */
  readonly text: string;
  /**
   * One text for each run, the last run included. A run that stopped at `maxTurns` gives all that the
   * model said in it. Without `autoResume` there is one run.
   */
  readonly texts: readonly string[];
  /** The answer as the `schema` parsed it; `undefined` without a schema. */
  readonly value: T;
  /** The model that answered, as the CLI names it. */
  readonly model: string | undefined;
  /** The id of the last session, if there were several. */
  readonly sessionId: string;
  /**
   * Why the model stopped. Only `completed` is a whole answer; with `tool_calls`, the model waits for the results
   * of `toolCalls`, and with `tool_deferred` for the decision about `deferredToolUse`.
   */
  readonly stop: Stop;
  /**
   * The tool call that a hook or a rule has deferred, if `stop` is `tool_deferred`. If the session was kept
   * (`persistSession`), `openSession()` with `resume` and `canUseTool`, and `session.resumedTurn()`, go on with it.
   */
  readonly deferredToolUse: ToolCall | undefined;
  /** The calls of `clientTools` that the model made in its last message, if `stop` is `tool_calls`; else `[]`. */
  readonly toolCalls: readonly ToolCall[];
  /**
   * The blocks of the model's last message: text, thinking and tool calls. As the `content` of an assistant message,
   * they continue the conversation in the `history` of another call.
   */
  readonly content: readonly ContentBlock[];
  /**
   * The CLI's own count of turns (`num_turns`), of the whole call, failed attempts included. It can be higher than the
   * number of requests to the model, for example if the model calls several tools in one message.
   */
  readonly turns: number;
  /** How often `autoResume` continued the call after `maxTurns`. */
  readonly resumes: number;
  /** The tokens of this call, all models and sub-agents together, as far as they are known. */
  readonly usage: Usage;
  /** The usage of each model; `undefined` if a part of it is not known. */
  readonly modelUsage: Readonly<Record<string, ModelUsage>> | undefined;
  /** The cost of this call alone; `undefined` if a part of it is not known, never a made-up zero. */
  readonly costUsd: number | undefined;
  /** The tool calls that were denied. */
  readonly permissionDenials: readonly PermissionDenial[];
  /** The credential that the CLI used. */
  readonly credential: CredentialInfo;
  /** How long each part of the call took. */
  readonly timing: Timing;
  /** The last result message of the CLI. */
  readonly result: ResultMessage;
}

/** A call of a tool. */
export interface ToolCall {
  /** The id that the result must name as `tool_use_id`. */
  readonly id: string;
  readonly name: string;
  /** The input as the model gave it. */
  readonly input: unknown;
}

/** A turn of a call that has its result. */
export interface EndedTurn {
  readonly result: ResultMessage;
  readonly stop: Stop;
  readonly text: string;
  readonly model: string | undefined;
  /** The last value that the model gave for a schema, even if the CLI rejected it. */
  readonly givenOutput: unknown;
  readonly toolCalls: readonly ToolCall[];
  readonly content: readonly ContentBlock[];
}

/** Facts of the attempt that gave the answer. */
export interface AttemptFacts {
  readonly startedAt: number;
  readonly readyAt: number | undefined;
  readonly firstTokenAt: number | undefined;
  readonly queuedMs: number | undefined;
  /** Present if the session source has measured it. */
  readonly bootMs: number | undefined;
  /** The answer of the CLI to the initialize request. */
  readonly info: unknown;
  readonly texts: readonly string[];
  readonly resumes: number;
  readonly value: unknown;
}

/** Builds the outcome of a call from its last turn, its totals and the facts of its attempt. */
export function buildCompletion(
  { result, stop, model, toolCalls, content }: EndedTurn,
  tally: Tally,
  facts: AttemptFacts,
): Completion<unknown> {
  const { startedAt, readyAt, firstTokenAt, queuedMs, info, texts, resumes, value } = facts;
  const now = performance.now();
  const since = (at: number | undefined) => (at === undefined ? undefined : at - startedAt);
  return {
    text: isUnfinished(stop) ? joinTexts(texts) : (texts.at(-1) ?? ""),
    texts,
    value,
    model,
    sessionId: result.session_id,
    stop,
    deferredToolUse: stop === "tool_deferred" ? result.deferred_tool_use : undefined,
    toolCalls,
    content,
    turns: tally.turns,
    resumes,
    usage: tally.usage,
    modelUsage: tally.models,
    costUsd: tally.costUsd,
    permissionDenials: tally.denials,
    credential: credentialOf(info),
    timing: {
      queuedMs,
      bootMs: facts.bootMs ?? since(readyAt),
      firstTokenMs: since(firstTokenAt),
      apiMs: tally.apiMs,
      runMs: readyAt === undefined ? undefined : now - readyAt,
      totalMs: now - startedAt,
    },
    result,
  };
}

/** Whether the work has stopped before the answer. */
function isUnfinished(stop: Stop): boolean {
  return stop === "max_turns" || stop === "max_budget" || stop === "tool_deferred";
}

/** The texts of all runs, separated by blank lines. */
export function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}
