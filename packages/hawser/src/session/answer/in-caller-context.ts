import { AsyncResource } from "node:async_hooks";
import type { RequestHandler } from "../../control/index.js";

/**
 * The handler, run in the async context of this moment. Without it, the callbacks of a session would see the
 * `AsyncLocalStorage` of the code that started the process, which in a pool belongs to another caller.
 */
export function inCallerContext(handler: RequestHandler): RequestHandler {
  // `AsyncLocalStorage.snapshot()` does the same, but costs as much as the rest of a session's handler.
  const moment = new AsyncResource("HawserSession");
  return (request, context) => moment.runInAsyncScope(handler, undefined, request, context);
}
