/** Separates the static from the dynamic parts in a `systemPrompt` that is a list. */
export const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

/**
 * Your own prompt as a text or a list of parts, or the CLI's prompt with text appended.
 *
 * @example
 * ```ts
 * const prompt: SystemPromptOption = { preset: "claude_code", append: "Answer in French." };
 * ```
 */
export type SystemPromptOption = string | readonly string[] | CustomPrompt | PresetPrompt;

/** Your own prompt, with a choice for resumed sessions. */
export interface CustomPrompt {
  type: "custom";
  prompt: string | readonly string[];
  /** Whether a resumed session keeps the prompt that it was started with. */
  snapshot?: boolean;
}

/** The CLI's own prompt, optionally with text appended. */
export interface PresetPrompt {
  type?: "preset";
  preset: "claude_code";
  /** Text to append to the CLI's prompt. */
  append?: string;
  /** Moves the working directory and memory out of the prompt, so that users share its cache. */
  excludeDynamicSections?: boolean;
  /** Whether a resumed session keeps the prompt that it was started with. */
  snapshot?: boolean;
}
