import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { diffLines } from "./diff.js";
import { oneLine, type Style, visible } from "./terminal.js";

/** A call of a tool on one line. */
export function callLine(name: string, input: unknown, longest: number): string {
  const fields = fieldsOf(input);
  const told = MAIN_FIELDS.map((field) => fields[field]).find((value) => typeof value === "string");
  const about = (told as string | undefined) ?? compact(fields);
  return oneLine(`${name} ${about}`, longest);
}

/** All of a call, for a person to decide on: the command, the change, and whatever goes with it. */
export function callDetails(input: unknown, cwd: string, style: Style): string[] {
  const fields = fieldsOf(input);
  const { told, shown } = mainPart(fields, cwd, style);
  const others = Object.entries(fields).flatMap(([name, value]) => {
    const isUsual = value === undefined || (name === "replace_all" && value === false);
    return isUsual || told.includes(name) ? [] : field(name, value);
  });
  return [...shown, ...others];
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

type Fields = Readonly<Record<string, unknown>>;

interface MainPart {
  /** Names of what is shown. */
  readonly told: readonly string[];
  readonly shown: readonly string[];
}

function mainPart(fields: Fields, cwd: string, style: Style): MainPart {
  const { command, description, plan, file_path, content, edits, old_string, new_string } = fields;
  if (typeof command === "string") {
    const about = typeof description === "string" ? lines(description).map(style.dim) : [];
    const told = about.length > 0 ? ["command", "description"] : ["command"];
    return { told, shown: [...about, ...lines(command)] };
  }
  if (typeof plan === "string") return { told: ["plan"], shown: lines(plan) };
  const path = typeof file_path === "string" ? lines(file_path) : [];
  if (typeof file_path === "string" && typeof content === "string") {
    const shown = [...path, ...written(resolve(cwd, file_path), content, style)];
    return { told: ["file_path", "content"], shown };
  }
  if (typeof old_string === "string" && typeof new_string === "string") {
    const shown = [...path, ...change(old_string, new_string, style)];
    return { told: ["file_path", "old_string", "new_string"], shown };
  }
  if (Array.isArray(edits)) {
    const shown = [...path, ...edits.flatMap((edit) => callDetails(edit, cwd, style))];
    return { told: ["file_path", "edits"], shown };
  }
  return { told: path.length === 0 ? [] : ["file_path"], shown: path };
}

function field(name: string, value: unknown): string[] {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  const [first = "", ...more] = lines(text);
  return [`${visible(name)}: ${first}`, ...more.map((line) => `  ${line}`)];
}

/** What a file will be, beside what it is. */
function written(path: string, content: string, style: Style): string[] {
  const now = textAt(path);
  if (typeof now === "string") return change(now, content, style);
  return [style.dim(now.why), ...change("", content, style)];
}

function change(before: string, after: string, style: Style): string[] {
  if (before === after) return [style.dim("(no change)")];
  const all = diffLines(before, after).map(({ sign, text }) => {
    const line = `${sign} ${visible(text)}`;
    if (sign === "+") return style.green(line);
    return sign === "-" ? style.red(line) : style.dim(line);
  });
  const [had, has] = [before, after].map((text) => text.endsWith("\n"));
  if (before === "" || after === "" || had === has) return all;
  return [...all, style.dim(`(${has ? "with" : "without"} a line break at the end)`)];
}

function lines(text: string): string[] {
  return visible(text).split("\n");
}

/** What is there now, or why that cannot be shown. A device or a pipe would never end. */
function textAt(path: string): string | { readonly why: string } {
  try {
    const stat = statSync(path);
    const { size } = stat;
    if (!stat.isFile()) return { why: "(there is something that is no file)" };
    if (size > LARGEST)
      return { why: `(in place of a file of ${size.toLocaleString("en")} bytes)` };
    const text = readFileSync(path, "utf8");
    return text.includes("\0") ? { why: "(in place of a binary file)" } : text;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? "" : { why: `(what is there cannot be read: ${code})` };
  }
}

const LARGEST = 2_000_000;

function compact(fields: Fields): string {
  return Object.keys(fields).length === 0 ? "" : JSON.stringify(fields);
}

function fieldsOf(input: unknown): Fields {
  return typeof input === "object" && input !== null ? (input as Fields) : {};
}
