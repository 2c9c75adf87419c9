import type { Problem } from "./problem.js";

/** An error in the shape of the Messages API. */
export interface AnthropicErrorBody {
  readonly type: "error";
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>>;
  };
  readonly request_id: string | null;
}

export function anthropicErrorBody(
  { status, message, details }: Problem,
  requestId: string | undefined,
): AnthropicErrorBody {
  const type = TYPES.get(status) ?? otherType(status);
  const error = { type, message, ...(details === undefined ? {} : { details }) };
  return { type: "error", error, request_id: requestId ?? null };
}

const TYPES: ReadonlyMap<number, string> = new Map([
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [408, "timeout_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [504, "timeout_error"],
  [529, "overloaded_error"],
]);

function otherType(status: number): string {
  return status < 500 ? "invalid_request_error" : "api_error";
}
