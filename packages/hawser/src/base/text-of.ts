/** The message of a thrown value. Any value can be thrown, even one that cannot become a string. */
export function textOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return "Something was thrown that cannot be put in words.";
  }
}
