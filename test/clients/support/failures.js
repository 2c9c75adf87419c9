import { apiError, streamError } from "hawser/testing";

/**
 * An answer that breaks off. The CLI then asks once more without a stream, and that fails too. The model has
 * worked, so the client must not repeat its request.
 */
export function failedAnswer() {
  return [streamError("overloaded_error", { after: "Half an ans" }), apiError(529)];
}

/** An answer that breaks off, and that the CLI gets whole when it asks once more. */
export function repeatedAnswer() {
  return [streamError("overloaded_error", { after: "Half an ans" }), "The whole answer."];
}
