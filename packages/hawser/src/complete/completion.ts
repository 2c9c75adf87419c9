import { type CredentialInfo, credentialOf, type Stop } from "../session/index.js";
import type { ModelUsage, PermissionDenial, ResultMessage, Usage } from "../wire/index.js";
import type { Tally } from "./tally.js";

/** Milliseconds; what was not seen is `undefined`. */
export interface Timing {
  /** The wait for a process of a pool. */
  readonly queuedMs: number | undefined;
  /** From the call, or the end of its wait for a pool, to the CLI's being ready. */
  readonly bootMs: number | undefined;
  /** From the call to the first word of the model. */
  readonly firstTokenMs: number | undefined;
  /** What the CLI waited for the API, all requests together. */
  readonly apiMs: number | undefined;
  /** From the CLI's being ready to the outcome. */
  readonly runMs: number | undefined;
  /** From the call to its outcome. */
  readonly totalMs: number;
}

/** The outcome of a call that was answered. */
export interface Completion<T = undefined> {
  /**
   * The answer: the model's last message, or with a `schema` its JSON. The answer is the same whether
   * the work took one run or `autoResume` made it several. If the call stopped at `maxTurns` or
   * `maxBudgetUsd`, there is no answer: then this is all that the model said, the runs separated by a
   * blank line.
   */
  readonly text: string;
  /**
   * One text for each run, the last run included. A run that stopped at `maxTurns` gives all that the
   * model said in it. Without `autoResume` there is one run.
   */
  readonly texts: readonly string[];
  /** What a `schema` made of the answer. */
  readonly value: T;
  /** The model that answered, as the CLI names it. */
  readonly model: string | undefined;
  /** The last one, if there were several. */
  readonly sessionId: string;
  /** Why the model stopped. Only `completed` is a whole answer. */
  readonly stop: Stop;
  /** As the CLI counts them, over the whole call, attempts that failed included. */
  readonly turns: number;
  /** How often it went on after `maxTurns`. */
  readonly resumes: number;
  /** The tokens of this call, all models and sub-agents together, as far as they are known. */
  readonly usage: Usage;
  /** The same for each model; `undefined` if a part of it is not known. */
  readonly modelUsage: Readonly<Record<string, ModelUsage>> | undefined;
  /** Of this call alone. Unknown stays `undefined`; it is never a made-up zero. */
  readonly costUsd: number | undefined;
  /** The tool calls that were denied. */
  readonly permissionDenials: readonly PermissionDenial[];
  /** What the CLI paid with. */
  readonly credential: CredentialInfo;
  readonly timing: Timing;
  /** The CLI's own last line. */
  readonly result: ResultMessage;
}

/** One turn of a call that has come to its end. */
export interface EndedTurn {
  readonly result: ResultMessage;
  readonly stop: Stop;
  readonly text: string;
  readonly model: string | undefined;
  /** The last value that the model gave for a schema, be it one that the CLI refused. */
  readonly givenOutput: unknown;
}

export interface AttemptFacts {
  readonly startedAt: number;
  readonly readyAt: number | undefined;
  readonly firstTokenAt: number | undefined;
  readonly queuedMs: number | undefined;
  /** Where the source has measured it. */
  readonly bootMs: number | undefined;
  /** The CLI's answer to initialize. */
  readonly info: unknown;
  readonly texts: readonly string[];
  readonly resumes: number;
  readonly value: unknown;
}

/** What the turns of a call have come to. */
export function buildCompletion(
  { result, stop, model }: EndedTurn,
  tally: Tally,
  around: AttemptFacts,
): Completion<unknown> {
  const { startedAt, readyAt, firstTokenAt, queuedMs, info, texts, resumes, value } = around;
  const now = performance.now();
  const since = (at: number | undefined) => (at === undefined ? undefined : at - startedAt);
  return {
    text: isUnfinished(stop) ? joinTexts(texts) : (texts.at(-1) ?? ""),
    texts,
    value,
    model,
    sessionId: result.session_id,
    stop,
    turns: tally.turns,
    resumes,
    usage: tally.usage,
    modelUsage: tally.models,
    costUsd: tally.costUsd,
    permissionDenials: tally.denials,
    credential: credentialOf(info),
    timing: {
      queuedMs,
      bootMs: around.bootMs ?? since(readyAt),
      firstTokenMs: since(firstTokenAt),
      apiMs: tally.apiMs,
      runMs: readyAt === undefined ? undefined : now - readyAt,
      totalMs: now - startedAt,
    },
    result,
  };
}

/** Whether a limit stopped the work, so that none of its texts is the answer. */
function isUnfinished(stop: Stop): boolean {
  return stop === "max_turns" || stop === "max_budget";
}

/** What was said in all runs, a blank line between two that said something. */
export function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}
