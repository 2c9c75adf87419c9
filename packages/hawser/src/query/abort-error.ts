/** What `query()` throws when its caller aborted it. */
export class AbortError extends Error {
  override readonly name: string = "AbortError";
}
