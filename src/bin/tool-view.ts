import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { diffLines } from "./diff.js";
import { oneLine, printable, type Style } from "./terminal.js";

/** A call of a tool on one line. */
export function callLine(name: string, input: unknown, longest: number): string {
  const fields = fieldsOf(input);
  const told = MAIN_FIELDS.map((field) => fields[field]).find((value) => typeof value === "string");
  const about = (told as string | undefined) ?? compact(fields);
  return oneLine(`${name} ${about}`, longest);
}

/** All that a person must know to decide on a call: the command, the change, or whatever it is. */
export function callDetails(input: unknown, cwd: string, style: Style): string[] {
  const fields = fieldsOf(input);
  const { command, file_path, content, old_string, new_string, edits, plan, description } = fields;
  const about = typeof description === "string" ? [style.dim(printable(description))] : [];
  if (typeof command === "string") return [...about, ...lines(command)];
  if (typeof plan === "string") return lines(plan);
  if (typeof file_path !== "string") return lines(JSON.stringify(fields, null, 2)).slice(0, MOST);
  const path = printable(file_path);
  if (typeof content === "string") {
    return [path, ...change(textAt(resolve(cwd, file_path)), content, style)];
  }
  const changes = Array.isArray(edits) ? edits : [{ old_string, new_string }];
  const shown = changes.flatMap((edit) => {
    const { old_string: before, new_string: after } = fieldsOf(edit);
    if (typeof before !== "string" || typeof after !== "string") return [];
    return change(before, after, style);
  });
  return [path, ...shown];
}

/** What is told of a call when one word is enough; the first that it has. */
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

/** Lines of a change or an input that are shown at most. */
const MOST = 60;

function change(before: string, after: string, style: Style): string[] {
  const all = diffLines(before, after).map(({ sign, text }) => {
    const line = `${sign} ${printable(text)}`;
    if (sign === "+") return style.green(line);
    return sign === "-" ? style.red(line) : style.dim(line);
  });
  if (all.length <= MOST) return all;
  return [...all.slice(0, MOST), style.dim(`… ${all.length - MOST} more lines`)];
}

function lines(text: string): string[] {
  return printable(text).split("\n");
}

function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // There is none yet, or it may not be seen: all of the content is new.
    return "";
  }
}

function compact(fields: Readonly<Record<string, unknown>>): string {
  return Object.keys(fields).length === 0 ? "" : JSON.stringify(fields);
}

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
}
