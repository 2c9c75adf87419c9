import { APICallError, LoadAPIKeyError, NoSuchModelError } from "@ai-sdk/provider";
import { ERROR_CODES, type ErrorCode, HawserError } from "hawser";
import { describe, expect, it } from "vitest";
import { toAiSdkError } from "../../src/errors/index.js";

const call = { modelId: "sonnet" };
const codes = Object.keys(ERROR_CODES) as ErrorCode[];

describe("toAiSdkError()", () => {
  it.each(codes.filter((code) => code !== "auth" && code !== "model_not_found"))(
    "makes %s an APICallError with the status and the retry of its row",
    (code) => {
      const error = new HawserError(code);
      const made = toAiSdkError(error, call);
      expect(APICallError.isInstance(made)).toBe(true);
      expect(made).toMatchObject({
        statusCode: ERROR_CODES[code].httpStatus,
        isRetryable: ERROR_CODES[code].retryable,
        url: "hawser:sonnet",
        cause: error,
        data: { code },
      });
      expect((made as Error).message).toContain(ERROR_CODES[code].hint);
    },
  );

  it("makes auth a LoadAPIKeyError with the cause", () => {
    const error = new HawserError("auth");
    const made = toAiSdkError(error, call);
    expect(LoadAPIKeyError.isInstance(made)).toBe(true);
    expect(made).toMatchObject({ cause: error });
  });

  it("makes model_not_found a NoSuchModelError with the cause", () => {
    const error = new HawserError("model_not_found");
    const made = toAiSdkError(error, call);
    expect(NoSuchModelError.isInstance(made)).toBe(true);
    expect(made).toMatchObject({ modelId: "sonnet", modelType: "languageModel", cause: error });
  });

  it("hands on how long to wait as the header that the AI SDK reads", () => {
    const limited = new HawserError("rate_limited", undefined, { retryAfterMs: 1_500 });
    expect(toAiSdkError(limited, call)).toMatchObject({
      responseHeaders: { "retry-after-ms": "1500" },
    });
    const resetsAt = new Date(Date.now() + 60_000);
    const made = toAiSdkError(new HawserError("usage_limit", undefined, { resetsAt }), call);
    const { "retry-after-ms": wait } = (made as APICallError).responseHeaders ?? {};
    expect(Number(wait)).toBeGreaterThan(50_000);
    expect(Number(wait)).toBeLessThanOrEqual(60_000);
  });

  it("does not let a call be repeated that the model has already worked for", () => {
    const error = new HawserError("overloaded");
    expect(toAiSdkError(error, { ...call, isPaid: true })).toMatchObject({ isRetryable: false });
  });

  it("is the signal's reason after an abort", () => {
    const reason = new Error("The user left.");
    const signal = AbortSignal.abort(reason);
    expect(toAiSdkError(new HawserError("aborted"), { ...call, signal })).toBe(reason);
    const other = new HawserError("process_exited");
    expect(toAiSdkError(other, { ...call, signal })).toMatchObject({ cause: other });
  });

  it("leaves any other error as it is", () => {
    const error = new TypeError("x");
    expect(toAiSdkError(error, call)).toBe(error);
  });
});
