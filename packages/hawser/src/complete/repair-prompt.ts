import type { Issue } from "../base/index.js";
import { type OutputSchema, prefixPath, WRAPPER } from "../schema/index.js";

/** Asks the model, in the same session, to give the value again: the one it gave is before its eyes. */
export function repairPrompt(
  { isWrapped }: Pick<OutputSchema, "isWrapped">,
  issues: readonly Issue[],
): string {
  const lines = issues.slice(0, MOST).map(({ path = "", message }) => {
    const place = isWrapped ? prefixPath(WRAPPER, path) : path;
    return `- ${place === "" ? "The whole value" : place} ${short(message)}`;
  });
  if (issues.length > MOST) lines.push(`- and ${issues.length - MOST} more of this kind`);
  return [
    "The value you gave to StructuredOutput is not valid:",
    ...lines,
    "Call StructuredOutput again with the whole corrected value, not only the corrected parts.",
  ].join("\n");
}

/** For an answer that came in words only. */
export function missingPrompt(): string {
  return "You gave no value. Call StructuredOutput now with the whole value; text is not read.";
}

const MOST = 20;
const LONGEST = 500;

function short(message: string): string {
  const line = message.replace(/\s+/g, " ");
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}…`;
}
