import type { Issue } from "../base/index.js";
import { type OutputSchema, prefixPath, WRAPPER_PROPERTY } from "../schema/index.js";

/** Asks the model to give the value again. The wrong value is in the context of the same session. */
export function repairPrompt(
  { isWrapped }: Pick<OutputSchema, "isWrapped">,
  issues: readonly Issue[],
): string {
  const lines = issues.slice(0, MAX_ISSUES).map(({ path = "", message }) => {
    const place = isWrapped ? prefixPath(WRAPPER_PROPERTY, path) : path;
    return `- ${place === "" ? "The whole value" : place} ${shorten(message)}`;
  });
  if (issues.length > MAX_ISSUES)
    lines.push(`- and ${issues.length - MAX_ISSUES} more of this kind`);
  return [
    "The value you gave to StructuredOutput is not valid:",
    ...lines,
    "Call StructuredOutput again with the whole corrected value, not only the corrected parts.",
  ].join("\n");
}

/** Asks for the value after an answer that was only text. */
export function missingPrompt(): string {
  return "You gave no value. Call StructuredOutput now with the whole value; text is not read.";
}

const MAX_ISSUES = 20;
const MAX_MESSAGE_LENGTH = 500;

function shorten(message: string): string {
  const line = message.replace(/\s+/g, " ");
  return line.length <= MAX_MESSAGE_LENGTH ? line : `${line.slice(0, MAX_MESSAGE_LENGTH)}…`;
}
