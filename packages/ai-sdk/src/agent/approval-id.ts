/**
 * The id of an approval request of the AI SDK. The decision comes back with this id alone, so that it has to tell the
 * tool call too. The first part is random, so that nobody can guess the id of a pending request.
 */
export function approvalIdOf(question: string, toolCallId: string): string {
  return `${question}${SEPARATOR}${toolCallId}`;
}

/** The tool call that an approval id names; undefined if the id was not made here. */
export function toolCallOfApproval(approvalId: string): string | undefined {
  const at = approvalId.indexOf(SEPARATOR);
  return at < 0 ? undefined : approvalId.slice(at + SEPARATOR.length);
}

const SEPARATOR = "::";
