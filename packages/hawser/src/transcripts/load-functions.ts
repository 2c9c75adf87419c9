export type TranscriptFunctions = typeof import("./functions.js");

/**
 * Loads the functions that read and write transcripts. They are a large part of the code, and most
 * programs use none of them, so that the root of the package does not load them.
 */
export function loadTranscriptFunctions(): Promise<TranscriptFunctions> {
  return import("./functions.js");
}
