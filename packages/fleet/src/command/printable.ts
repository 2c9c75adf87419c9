/**
 * A text on one line, without control characters, so that a prompt or a model cannot move the cursor or begin a
 * line of its own. A text that is too long ends with `…`.
 */
export function oneLine(text: string, longest: number): string {
  const line = text
    .slice(0, 4 * longest + 100)
    // Control characters, and marks that turn the direction of the text around.
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
    .replace(/ {2,}/g, " ")
    .trim();
  const letters = [...line];
  return letters.length <= longest
    ? line
    : `${letters.slice(0, Math.max(longest - 1, 0)).join("")}…`;
}
