import type { Problem } from "../errors/problem.js";

/** The body of an error in OpenAI's format. */
export interface OpenAiErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

/** Describes a problem in OpenAI's format. `code` is that of `hawser` or of the gateway. */
export function openAiErrorBody({ status, code, message, param }: Problem): OpenAiErrorBody {
  return { error: { message, type: errorType(status, code), param: param ?? null, code } };
}

function errorType(status: number, code: string): string {
  if (code === "insufficient_quota" || code === "budget_refused" || status === 402)
    return "insufficient_quota";
  return TYPES[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");
}

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  429: "rate_limit_error",
};
