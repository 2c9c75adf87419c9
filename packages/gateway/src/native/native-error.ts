import { isHawserError } from "hawser";
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { problemOf } from "../errors/problem.js";
import { RequestError } from "../errors/request-error.js";
import type { NativeEnv } from "./native-access.js";

/** The body of every error of the native API. */
export interface NativeErrorBody {
  readonly error: {
    /** A code of `hawser` or of the gateway. */
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
    /** The path of the parameter at fault. */
    readonly param?: string;
  };
}

/** The response for an error, in the native format. */
export function nativeErrorResponse(error: unknown, context: Context<NativeEnv>): Response {
  const { status, code, message, param, retryAfterMs } = problemOf(error, false);
  const exchange = context.get("exchange");
  if (exchange !== undefined) exchange.record.errorCode = code;
  if (retryAfterMs !== undefined) {
    context.header("retry-after", String(Math.ceil(retryAfterMs / 1000)));
  }
  const parts = isHawserError(error) ? { message: error.message, hint: error.hint } : { message };
  const body: NativeErrorBody = {
    error: { code, ...parts, ...(param !== undefined && { param }) },
  };
  return context.json(body, status as ContentfulStatusCode);
}

export function notFound(what: string): RequestError {
  return new RequestError("not_found", `There is no such ${what}.`);
}
