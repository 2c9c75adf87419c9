/** Stands between the static and the dynamic parts of a system prompt given as a list. */
export const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

/** Text, parts of a text, or the CLI's own prompt with something appended. */
export type SystemPromptOption = string | readonly string[] | CustomPrompt | PresetPrompt;

/** A prompt of one's own, with what a resumed session does about it. */
export interface CustomPrompt {
  type: "custom";
  prompt: string | readonly string[];
  /** Whether a resumed session keeps the prompt it was started with. */
  snapshot?: boolean;
}

/** The CLI's own prompt. */
export interface PresetPrompt {
  type?: "preset";
  preset: "claude_code";
  append?: string;
  /** Moves working directory and memory out of the prompt, so that users share its cache. */
  excludeDynamicSections?: boolean;
  snapshot?: boolean;
}
