import { isHawserError } from "hawser";

/** What the inspector itself refuses. The body is that of every error of the native API. */
export function problemResponse(
  status: 400 | 401 | 403 | 404 | 405 | 413 | 429 | 500 | 502 | 504,
  code: string,
  message: string,
  hint?: string,
): Response {
  return Response.json({ error: { code, message, ...(hint && { hint }) } }, { status });
}

/** The answer if the inspector fails. Only errors of Hawser have a text for users. */
export function failureResponse(error: unknown): Response {
  if (isHawserError(error)) return problemResponse(500, error.code, error.message, error.hint);
  return problemResponse(500, "internal", "The inspector has failed to answer.");
}
