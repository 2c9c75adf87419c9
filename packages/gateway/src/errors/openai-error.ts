import type { Problem } from "./problem.js";

/** An error in the shape of the OpenAI API. */
export interface OpenaiErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
  };
}

export function openaiErrorBody({ status, message, param, code }: Problem): OpenaiErrorBody {
  return { error: { message, type: typeOf(status), param: param ?? null, code } };
}

function typeOf(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}
