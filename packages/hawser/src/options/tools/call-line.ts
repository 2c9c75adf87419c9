import { objectOf, oneLine } from "../../base/index.js";

/** Describes a tool call on one line of at most `longest` columns, without control characters. */
export function callLine(tool: string, input: unknown, longest: number): string {
  const fields = objectOf(input);
  const main = MAIN_FIELDS.map((field) => fields[field]).find((value) => typeof value === "string");
  return oneLine(`${tool} ${main ?? compact(fields)}`, longest);
}

/** The field that describes a call on one line: the first of these that the call has. */
const MAIN_FIELDS = [
  "command",
  "file_path",
  "notebook_path",
  "pattern",
  "url",
  "query",
  "description",
  "path",
  "skill",
] as const;

function compact(fields: Readonly<Record<string, unknown>>): string {
  return Object.keys(fields).length === 0 ? "" : JSON.stringify(fields);
}
