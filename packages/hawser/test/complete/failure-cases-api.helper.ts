import { expect } from "vitest";
import {
  always,
  apiError,
  cut,
  maxTokens,
  type Reply,
  refusal,
  streamError,
  usageLimit,
} from "../../src/testing/index.js";
import {
  type Attempt,
  attempting,
  attemptingIn,
  type Cause,
  type Failure,
} from "./failure-cases.helper.js";

const OAUTH: Attempt["environment"] = { oauthToken: "dummy-oauth-token" };
const RESETS_AT = new Date("2033-05-18T03:33:20.000Z");

function answering(
  cause: string,
  reply: Reply,
  becomes: Failure,
  more: Attempt & Omit<Partial<Cause>, "attempt"> = {},
): Cause {
  const { onOlder, mostCalls, ...attempt } = more;
  const isPlain = Object.keys(attempt).length === 0;
  return {
    cause,
    attempt: attempting({ replies: always(reply), ...attempt }),
    ...(isPlain ? { attemptIn: attemptingIn({ replies: [always(reply)] }) } : {}),
    becomes: { resumable: false, ...becomes },
    ...(onOlder === undefined ? {} : { onOlder: { resumable: false, ...(onOlder as Failure) } }),
    ...(mostCalls === undefined ? {} : { mostCalls }),
  };
}

/** Failures that the API causes. */
export const AT_THE_API: readonly Cause[] = [
  answering(
    "The API rejects the request as invalid (400)",
    apiError(400),
    { code: "api_error", message: /Simulated invalid request/, retryable: false, apiStatus: 400 },
    { mostCalls: 8 },
  ),
  answering("The API refuses the key (401)", apiError(401), {
    code: "auth",
    message: /Invalid API key/,
    apiStatus: 401,
  }),
  answering(
    "The API refuses the OAuth token (401)",
    apiError(401),
    { code: "auth", message: /Not logged in/, apiStatus: 401 },
    { environment: OAUTH },
  ),
  answering("The account has no credit (402)", apiError(402, { type: "billing_error" }), {
    code: "billing",
    message: /Simulated error/,
    apiStatus: 402,
  }),
  answering("The key lacks the permission (403)", apiError(403), {
    code: "auth",
    message: /Simulated missing permission/,
    apiStatus: 403,
  }),
  answering(
    "The model does not exist (404)",
    apiError(404, { message: "model: claude-of-tomorrow" }),
    {
      code: "model_not_found",
      message: /claude-of-tomorrow/,
      apiStatus: 404,
      stderrTail: expect.stringMatching(/unrecognized_model.*claude-of-tomorrow/),
    },
    {
      options: { model: "claude-of-tomorrow" },
      onOlder: { code: "model_not_found", message: /claude-of-tomorrow/, apiStatus: 404 },
    },
  ),
  answering("The API reports a request timeout (408)", apiError(408), {
    code: "api_error",
    message: /408/,
    apiStatus: 408,
  }),
  answering("The request is too large for the API (413)", apiError(413), {
    code: "prompt_too_long",
    message: /Request too large/,
    apiStatus: 413,
  }),
  answering(
    "The prompt is longer than the model's context (400)",
    apiError(400, { message: "prompt is too long: 250000 tokens > 200000 maximum" }),
    { code: "prompt_too_long", message: /Prompt is too long/, apiStatus: 400 },
  ),
  answering("Rate limit, `retry-after: 2` (429)", apiError(429, { retryAfter: 2 }), {
    code: "rate_limited",
    message: /Simulated rate limit/,
    apiStatus: 429,
    retryAfterMs: 2000,
  }),
  answering(
    "Rate limit, `retry-after: 1`, and the CLI retries twice (429, `retry.cliRetries: 2`)",
    apiError(429, { retryAfter: 1 }),
    {
      code: "rate_limited",
      message: /Simulated rate limit/,
      apiStatus: 429,
      retryAfterMs: 1000,
    },
    { options: { retry: { cliRetries: 2 } }, mostCalls: 3 },
  ),
  answering("Rate limit without `retry-after` (429)", apiError(429), {
    code: "rate_limited",
    message: /Simulated rate limit/,
    apiStatus: 429,
  }),
  answering(
    "Rate limit of a login or OAuth token other than the limit of the plan (429)",
    apiError(429),
    { code: "rate_limited", message: /not your usage limit/, apiStatus: 429 },
    { environment: OAUTH },
  ),
  answering(
    "The usage limit of the plan is reached (429)",
    usageLimit({ resetsAt: RESETS_AT }),
    {
      code: "usage_limit",
      message: /You've hit your .* limit/,
      apiStatus: 429,
      resetsAt: RESETS_AT,
    },
    { environment: OAUTH },
  ),
  answering("The API fails (500)", apiError(500), {
    code: "api_error",
    message: /Internal server error/,
    apiStatus: 500,
  }),
  answering("The API is not available (503)", apiError(503), {
    code: "api_error",
    message: /503/,
    apiStatus: 503,
  }),
  answering("The API is overloaded (529)", apiError(529), {
    code: "overloaded",
    message: /Overloaded/,
    apiStatus: 529,
  }),
  answering(
    "The API reports in mid-answer that it is overloaded",
    streamError(),
    { code: "overloaded", message: /Overloaded/, apiStatus: 529 },
    // The older CLI does not report the status here.
    { onOlder: { code: "api_error", message: /529 Overloaded/ }, mostCalls: 4 },
  ),
  answering(
    "Nothing listens at the address of the API",
    apiError(500),
    { code: "api_error", message: /refused|connect/i },
    { environment: { extra: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" } }, mostCalls: 0 },
  ),
  answering("The API cuts every connection before an answer", cut(), {
    code: "api_error",
    message: /ECONNRESET/,
  }),
  {
    cause: "The API cuts the connection in mid-answer once, and the CLI retries",
    attempt: attempting({ replies: [cut("Half an"), "A whole answer."] }),
    attemptIn: attemptingIn({ replies: [cut("Half an"), "A whole answer."] }),
    becomes: { text: "A whole answer.", stop: "completed" },
  },
  answering(
    "The model refuses to answer",
    refusal("No. "),
    // The newest CLI asks the model twice.
    { code: "refusal", message: /safeguards flagged/, partialText: "No. No. " },
    { onOlder: { code: "refusal", message: /unable to respond/, partialText: "No. " } },
  ),
  answering(
    "Every answer reaches the limit of output tokens",
    maxTokens("More. "),
    {
      code: "max_output_tokens",
      message: /exceeded the \d+ output token maximum/,
      partialText: "More. More. More. More. ",
    },
    { mostCalls: 4 },
  ),
  {
    cause: "There is neither key nor login",
    attempt: attempting({ environment: { extra: { ANTHROPIC_API_KEY: undefined } } }),
    becomes: { code: "auth", message: /Not logged in/, resumable: false },
    mostCalls: 0,
  },
];
