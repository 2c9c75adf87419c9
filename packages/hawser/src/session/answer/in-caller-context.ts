import { AsyncLocalStorage } from "node:async_hooks";
import type { RequestHandler } from "../../control/index.js";

/**
 * The handler, run in the async context of this moment. Without it, the callbacks of a session would see the
 * `AsyncLocalStorage` of the code that started the process, which in a pool belongs to another caller.
 */
export function inCallerContext(handler: RequestHandler): RequestHandler {
  const run = AsyncLocalStorage.snapshot();
  return (request, context) => run(handler, request, context);
}
