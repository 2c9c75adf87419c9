import { HawserError, type SessionKey } from "hawser";

/** Whether a text can be the id of a session: the CLI takes only UUIDs. */
export function isSessionId(id: unknown): id is string {
  return typeof id === "string" && PATTERN.test(id);
}

const PATTERN = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export function checkSessionId(id: unknown): asserts id is string {
  if (isSessionId(id)) return;
  throw new HawserError("invalid_options", "The id of a session must be a UUID.", {
    hint: "Use the id of a session, or `crypto.randomUUID()` for a new one.",
    issues: [{ path: "sessionId", message: `is not a UUID: ${JSON.stringify(id)}` }],
  });
}

/** Refuses a key that the database cannot hold. */
export function checkKey({ sessionId, projectKey, subpath }: SessionKey): void {
  checkSessionId(sessionId);
  for (const [path, text] of Object.entries({ projectKey, subpath })) {
    if (text === undefined || (typeof text === "string" && !text.includes("\0"))) continue;
    throw new HawserError(
      "invalid_options",
      `${path} of a session must be a text without U+0000.`,
      {
        issues: [{ path, message: "is not a text, or has the character U+0000" }],
      },
    );
  }
}
