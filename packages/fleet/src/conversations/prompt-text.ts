import type { Prompt } from "hawser";

/** A message as text, for people and for the search: other blocks than text are named by their type. */
export function promptText(prompt: Prompt): string {
  if (typeof prompt === "string") return prompt;
  return prompt
    .map((block) => {
      const { type, text } = block as { readonly type: string; readonly text?: unknown };
      return type === "text" && typeof text === "string" ? text : `[${type}]`;
    })
    .join("\n");
}
