import { APICallError, LoadAPIKeyError, NoSuchModelError } from "@ai-sdk/provider";
import { type HawserError, isHawserError } from "hawser";

/** What is known of the call that failed. */
export interface FailedCall {
  readonly modelId: string;
  /** The signal of the caller. If it was aborted, its reason is the error. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the model has already worked for this call: then it must not be repeated without being asked. */
  readonly isPaid?: boolean | undefined;
}

/**
 * The error that the AI SDK knows for an error of `hawser`, with that error as its cause. `generateText()` and
 * `streamText()` repeat a call only for an `APICallError` with `isRetryable`. Any other error is returned as it is.
 */
export function toAiSdkError(error: unknown, call: FailedCall): unknown {
  const { signal, modelId } = call;
  if (signal?.aborted === true && isAbort(error)) return signal.reason;
  if (!isHawserError(error)) return error;
  const message = textOf(error);
  if (error.code === "auth") return withCause(new LoadAPIKeyError({ message }), error);
  if (error.code === "model_not_found") {
    return withCause(new NoSuchModelError({ modelId, modelType: "languageModel", message }), error);
  }
  return apiCallError(error, call);
}

/** An abort ends a call that waits, that runs, or whose stream has no reader any more. */
function isAbort(error: unknown): boolean {
  return isHawserError(error, "aborted") || (error instanceof Error && error.name === "AbortError");
}

function apiCallError(error: HawserError, { modelId, isPaid = false }: FailedCall): APICallError {
  const { code, httpStatus, retryable, resetsAt } = error;
  const { retryAfterMs = resetsAt && Math.max(0, resetsAt.getTime() - Date.now()) } = error;
  return new APICallError({
    message: textOf(error),
    // There is no HTTP request. The AI SDK asks for a URL, and logs show it.
    url: `hawser:${modelId}`,
    requestBodyValues: {},
    statusCode: httpStatus,
    isRetryable: retryable && !isPaid,
    ...(retryAfterMs === undefined
      ? {}
      : { responseHeaders: { "retry-after-ms": String(Math.ceil(retryAfterMs)) } }),
    cause: error,
    data: { code },
  });
}

/** The AI SDK shows the message only. The hint says what to do. */
function textOf({ message, hint }: HawserError): string {
  return hint === "" ? message : `${message} ${hint}`;
}

/** The constructors of these errors take no cause. */
function withCause<E extends Error>(error: E, cause: HawserError): E {
  return Object.assign(error, { cause });
}
