import { firstLine } from "./content-text.js";
import { objectOf, shownJson, textField } from "./json.js";

/** What a tool call is about, on one line: its command, path, address or pattern. */
export function toolSummary(input: unknown): string {
  const fields = objectOf(input);
  for (const name of TELLING) {
    const text = textField(fields, name);
    if (text !== undefined && text !== "") return firstLine(text);
  }
  return Object.keys(fields).length === 0 ? "" : firstLine(shownJson(fields).replace(/\s+/g, " "));
}

/** The fields that say most about a call, the most telling first. */
const TELLING = [
  "command",
  "file_path",
  "notebook_path",
  "path",
  "url",
  "pattern",
  "query",
  "description",
  "prompt",
  "skill",
] as const;
