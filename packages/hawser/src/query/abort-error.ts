/** The error that `query()` throws after an abort by the caller. */
export class AbortError extends Error {
  override readonly name: string = "AbortError";
}
