import type { HawserError } from "../base/index.js";
import type { Plan } from "./plan.js";

/** The progress of a call when one of its attempts fails. */
export interface CallProgress {
  /** The number of retries so far. */
  readonly retries: number;
  readonly elapsedMs: number;
  /** Whether a tool was called that may have changed something. */
  readonly changedSomething: boolean;
  /** Whether a reader has text that a new attempt would contradict. */
  readonly textWasRead: boolean;
}

/** The pause before the next attempt; undefined if there must be no further attempt. */
export function retryPauseMs(
  { retryable, retryAfterMs = 0 }: Pick<HawserError, "retryable" | "retryAfterMs">,
  { attempts, baseMs, maxMs, budgetMs, afterTools }: Plan["retry"],
  { retries, elapsedMs, changedSomething, textWasRead }: CallProgress,
  random: () => number = Math.random,
): number | undefined {
  if (!retryable || retries >= attempts || textWasRead) return undefined;
  if (changedSomething && !afterTools) return undefined;
  // A random part of the full pause, so that callers that failed together do not retry together.
  const jittered = random() * Math.min(maxMs, baseMs * 2 ** retries);
  const pause = Math.max(retryAfterMs, jittered);
  return elapsedMs + pause < budgetMs ? pause : undefined;
}

/** Built-in tools that change nothing. Tools of MCP servers and commands may change something. */
const READ_ONLY_TOOLS: ReadonlySet<string> = new Set([
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

/** Whether one of the called tools may have changed something. */
export function mayHaveChangedSomething(tools: Iterable<string>): boolean {
  for (const tool of tools) if (!READ_ONLY_TOOLS.has(tool)) return true;
  return false;
}
