import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { CallWarnings } from "../call-warnings.js";

/** Warns of each setting of the call that the CLI has no way to obey. */
export function ineffectiveSettings(
  options: LanguageModelV4CallOptions,
  warnings: CallWarnings,
): void {
  for (const [name, why] of INEFFECTIVE) {
    if (options[name] !== undefined) warnings.unsupported(name, why);
  }
  const headers = Object.entries(options.headers ?? {}).filter(([name, value]) => {
    // The AI SDK always sends its own name.
    return value !== undefined && name.toLowerCase() !== "user-agent";
  });
  if (headers.length > 0) warnings.unsupported("headers", "The CLI sends the requests itself.");
}

const NO_SAMPLING = "The CLI decides how the model samples.";

const INEFFECTIVE: readonly (readonly [keyof LanguageModelV4CallOptions, string])[] = [
  ["maxOutputTokens", "The CLI decides how long an answer may be."],
  ["temperature", NO_SAMPLING],
  ["topP", NO_SAMPLING],
  ["topK", NO_SAMPLING],
  ["presencePenalty", NO_SAMPLING],
  ["frequencyPenalty", NO_SAMPLING],
  ["seed", NO_SAMPLING],
];
