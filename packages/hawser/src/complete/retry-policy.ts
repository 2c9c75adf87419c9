import type { HawserError } from "../base/index.js";
import type { Plan } from "./plan.js";

/** How far a call has come when one of its attempts fails. */
export interface CallProgress {
  /** How many new attempts there have been. */
  readonly retries: number;
  readonly elapsedMs: number;
  /** Whether a tool was called that may have changed something. */
  readonly changedSomething: boolean;
  /** Whether somebody has read text that a new attempt would take back. */
  readonly textWasRead: boolean;
}

/** The pause before the next attempt, or undefined if there is to be none. */
export function retryPauseMs(
  { retryable, retryAfterMs = 0 }: Pick<HawserError, "retryable" | "retryAfterMs">,
  { attempts, baseMs, maxMs, budgetMs, afterTools }: Plan["retry"],
  { retries, elapsedMs, changedSomething, textWasRead }: CallProgress,
  random: () => number = Math.random,
): number | undefined {
  if (!retryable || retries >= attempts || textWasRead) return undefined;
  if (changedSomething && !afterTools) return undefined;
  // A random part of the whole pause: callers that failed together do not come back together.
  const jittered = random() * Math.min(maxMs, baseMs * 2 ** retries);
  const pause = Math.max(retryAfterMs, jittered);
  return elapsedMs + pause < budgetMs ? pause : undefined;
}

/** What only looks. A tool of anybody else's may do anything, and so may a command. */
const HARMLESS: ReadonlySet<string> = new Set([
  "AskUserQuestion",
  "Glob",
  "Grep",
  "LS",
  "ListMcpResourcesTool",
  "NotebookRead",
  "Read",
  "ReadMcpResourceTool",
  "StructuredOutput",
  "TodoWrite",
  "ToolSearch",
  "WebFetch",
  "WebSearch",
]);

/** Whether one of these tools may have changed something. */
export function mayHaveChangedSomething(tools: Iterable<string>): boolean {
  for (const tool of tools) if (!HARMLESS.has(tool)) return true;
  return false;
}
