import type { Context } from "hono";
import type { Env, Exchange } from "../http/exchange.js";
import { anthropicErrorBody } from "./anthropic-error.js";
import { openaiErrorBody } from "./openai-error.js";
import { type Problem, problemOf } from "./problem.js";

/** The response for an error, in the shape that the client of this path expects. */
export function errorResponse(c: Context<Env>, error: unknown): Response {
  // The key was not valid, or the request was refused before its key was looked at.
  const exchange = c.get("exchange") as Exchange | undefined;
  const problem = problemOf(error, exchange?.record.isPaid === true);
  if (exchange !== undefined) exchange.record.errorCode = problem.code;
  return problemResponse(problem, shapeOf(c), exchange?.id);
}

export type ErrorShape = "anthropic" | "openai";

/** The response for a problem. A client that is gone gets no body. */
export function problemResponse(
  problem: Problem,
  shape: ErrorShape,
  requestId: string | undefined,
): Response {
  const { status } = problem;
  const headers = new Headers(errorHeaders(problem));
  if (requestId !== undefined) {
    headers.set("request-id", requestId);
    headers.set("x-request-id", requestId);
  }
  if (status === 499) return new Response(null, { status, headers });
  headers.set("content-type", "application/json");
  const body =
    shape === "anthropic" ? anthropicErrorBody(problem, requestId) : openaiErrorBody(problem);
  return new Response(JSON.stringify(body), { status, headers });
}

/** The headers by which the official clients decide whether to send the request again, and when. */
export function errorHeaders({ shouldRetry, retryAfterMs }: Problem): Record<string, string> {
  const headers: Record<string, string> = { "x-should-retry": String(shouldRetry) };
  if (retryAfterMs !== undefined) {
    headers["retry-after"] = String(Math.ceil(retryAfterMs / 1000));
    headers["retry-after-ms"] = String(Math.ceil(retryAfterMs));
  }
  return headers;
}

/** Anthropic's clients name the version of the API in each request. */
export function shapeOf(c: Context): ErrorShape {
  const isAnthropic =
    c.req.path.startsWith("/v1/messages") || c.req.header("anthropic-version") !== undefined;
  return isAnthropic ? "anthropic" : "openai";
}
