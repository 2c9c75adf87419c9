import type { Approval } from "./approval.js";

/**
 * The kind of call that the answer `scope: "session"` covers, as text: two questions of one session with the
 * same text are answered by one grant. Undefined if the call can only be allowed once.
 *
 * The reason of the question is part of it, because the CLI may ask about a call again for another reason,
 * which the person has not seen.
 *
 * @example
 * ```ts
 * const grants = new Map<string, ApprovalDecision>();
 * const isGranted = grants.has(`${approval.sessionId} ${coveredCalls(approval)}`);
 * ```
 */
export function coveredCalls(approval: Approval): string | undefined {
  if (approval.kind !== "tool" || approval.sessionGrant === undefined) return undefined;
  // The model may write the fields of the same call in another order.
  const fields = Object.entries(approval.sessionGrant.input).toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return JSON.stringify([approval.tool, fields, approval.reasonType ?? ""]);
}
