import type { SystemPromptOption } from "../options/index.js";

/** The system prompt of an agent with the text of a request after it. Without one, the CLI's own prompt is kept. */
export function appendSystemPrompt(
  own: SystemPromptOption | undefined,
  text: string,
): SystemPromptOption {
  if (typeof own === "string") return own === "" ? text : `${own}\n\n${text}`;
  if (own === undefined) return { type: "preset", preset: "claude_code", append: text };
  const { append = "" } = own as { append?: string };
  return { ...own, append: append === "" ? text : `${append}\n\n${text}` } as SystemPromptOption;
}
