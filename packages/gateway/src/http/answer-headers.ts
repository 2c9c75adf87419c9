/** The headers of an answer: which parameters had no effect, and what it cost. */
export function answerHeaders(
  ignored: readonly string[],
  costUsd?: number | undefined,
): Record<string, string> {
  return {
    ...(ignored.length === 0 ? {} : { "x-hawser-ignored": ignoredText(ignored) }),
    ...(costUsd === undefined ? {} : { "x-hawser-cost-usd": String(costUsd) }),
  };
}

const MAX_LENGTH = 1_000;

/** The names come from the client, so they may hold characters that a header cannot. */
function ignoredText(ignored: readonly string[]): string {
  const text = ignored.map((name) => name.replaceAll(/[^ -~]|,/g, "?")).join(", ");
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}...`;
}
