import { type ErrorFacts, HawserError, isHawserError, type Mask } from "../base/index.js";
import type { TurnRecord } from "./turns/turn-record.js";

/** Any failure, with the partial text of the turn and the facts about the process. */
export function enrich(
  error: unknown,
  record: TurnRecord | undefined,
  line: ErrorFacts,
  mask?: Mask,
): HawserError {
  const known = isHawserError(error) ? error : unexpected(error);
  const partialText = record?.text.text ?? "";
  const lastMessage = record?.lastMessage;
  return known.withMissing(
    {
      ...line,
      ...(partialText === "" ? {} : { partialText }),
      ...(lastMessage === undefined || known.result !== undefined ? {} : { lastMessage }),
    },
    mask,
  );
}

function unexpected(cause: unknown): HawserError {
  return new HawserError("protocol_error", `An unexpected error occurred: ${String(cause)}`, {
    cause,
  });
}

export function sessionClosed(): HawserError {
  return new HawserError("closed", "The session was closed.", { hint: "Open a new session." });
}

/** Undefined if this side closed the session, because that is not a failure. */
export function unlessClosed(reason: HawserError): HawserError | undefined {
  return reason.code === "closed" ? undefined : reason;
}
