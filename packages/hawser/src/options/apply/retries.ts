import type { Draft } from "../invocation/draft.js";

/**
 * Asks the CLI for fewer retries than its own ten, with which a wrong key takes minutes to fail.
 */
export function applyRetries(draft: Draft): void {
  const { retry, fallbackModel } = draft.options;
  if (retry?.apiTimeoutMs !== undefined) draft.env.set("API_TIMEOUT_MS", `${retry.apiTimeoutMs}`);
  const name = "CLAUDE_CODE_MAX_RETRIES";
  if (retry?.cliRetries !== undefined) draft.env.set(name, `${retry.cliRetries}`);
  else if (draft.env.get(name) === undefined) {
    draft.env.set(name, fallbackModel === undefined ? "1" : RETRIES_BEFORE_FALLBACK);
  }
}

/**
 * The CLI switches to the fallback model after its second retry. With fewer retries it never does.
 */
const RETRIES_BEFORE_FALLBACK = "2";
