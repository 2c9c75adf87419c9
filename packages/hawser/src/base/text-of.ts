/** What was thrown, in words; anything can be thrown, also what has none. */
export function textOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return "Something was thrown that cannot be put in words.";
  }
}
