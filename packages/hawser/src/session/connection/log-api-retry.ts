import type { Logger } from "../../base/index.js";
import { isSystem, type Message } from "../../wire/index.js";

/** Logs that the CLI repeats a request to the API. */
export function logApiRetry(message: Message, log: Logger): void {
  if (!isSystem(message, "api_retry")) return;
  const { attempt, max_retries: of, retry_delay_ms: inMs, error } = message;
  log.warn("the CLI retries", { attempt, of, inMs, error });
}
