import { resolve } from "node:path";
import { oneLine, visible, visibleLine } from "../../base/index.js";
import { diffLines, type FileText, readFileText } from "../../session/index.js";

/** A line of the description of a call. Nothing in its text moves the cursor. */
export interface CallDetail {
  readonly text: string;
  readonly tone?: "dim" | "green" | "red";
}

/**
 * All of a call, for a user to decide on: the command or the change first, then every other field,
 * the short ones before the long ones, because the model decides how long each of them is. Without `cwd`, the
 * files of the call are on another machine, so the present content of a file is not shown.
 */
export function callDetails(tool: string, input: unknown, cwd: string | undefined): CallDetail[] {
  const fields = fieldsOf(input);
  const { told, shown } = mainPart(tool, fields, cwd);
  const others = Object.entries(fields).flatMap(([name, value]) => {
    const isUsual = value === undefined || (name === "replace_all" && value === false);
    return isUsual || told.includes(name) ? [] : [field(name, value)];
  });
  const size = (details: readonly CallDetail[]) =>
    details.reduce((sum, { text }) => sum + 80 + text.length, 0);
  const ordered = others.sort((a, b) => size(a) - size(b)).flat();
  return [...shown, ...ordered, ...about(tool, fields)];
}

/** The model's own description of a command, on one line, because it proves nothing about the command. */
function about(tool: string, { command, description }: Fields): CallDetail[] {
  if (typeof description !== "string" || !isDescribed(tool, command)) return [];
  return [{ text: oneLine(`the model says: ${description}`, LONGEST_ABOUT), tone: "dim" }];
}

const LONGEST_ABOUT = 76;

/** Whether the description is about the call. For a tool of an MCP server it may be a part of it. */
function isDescribed(tool: string, command: unknown): boolean {
  return typeof command === "string" && !tool.startsWith("mcp__");
}

type Fields = Readonly<Record<string, unknown>>;

interface MainPart {
  /** Names of the fields that are shown. */
  readonly told: readonly string[];
  readonly shown: readonly CallDetail[];
}

function mainPart(tool: string, fields: Fields, cwd: string | undefined): MainPart {
  const { command, plan, file_path, content, edits, old_string, new_string } = fields;
  if (typeof command === "string") {
    const told = isDescribed(tool, command) ? ["command", "description"] : ["command"];
    return { told, shown: lines(command) };
  }
  if (typeof plan === "string") return { told: ["plan"], shown: lines(plan) };
  const path = typeof file_path === "string" ? lines(file_path) : [];
  if (typeof file_path === "string" && typeof content === "string") {
    const shown = [
      ...path,
      ...written(cwd === undefined ? undefined : resolve(cwd, file_path), content),
    ];
    return { told: ["file_path", "content"], shown };
  }
  if (typeof old_string === "string" && typeof new_string === "string") {
    const shown = [...path, ...change(old_string, new_string)];
    return { told: ["file_path", "old_string", "new_string"], shown };
  }
  if (Array.isArray(edits)) {
    const shown = [...path, ...edits.flatMap((edit) => callDetails(tool, edit, cwd))];
    return { told: ["file_path", "edits"], shown };
  }
  return { told: path.length === 0 ? [] : ["file_path"], shown: path };
}

function field(name: string, value: unknown): CallDetail[] {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  const [first, ...more] = lines(text);
  return [
    { text: `${visibleLine(name)}: ${first?.text ?? ""}` },
    ...more.map((line) => ({ text: `  ${line.text}` })),
  ];
}

/** The change from the present content of a file to the new one. */
function written(path: string | undefined, content: string): CallDetail[] {
  if (path === undefined) return [ELSEWHERE, ...change("", content)];
  const file = readFileText(path);
  if (file.state === "read" || file.state === "missing") return change(file.text, content);
  return [{ text: reasonFor(file), tone: "dim" }, ...change("", content)];
}

const ELSEWHERE: CallDetail = {
  text: "(what the file holds now is not known here: it is on the machine of the worker)",
  tone: "dim",
};

/** Why the present content of a file is not shown. */
function reasonFor({ state, bytes, errno }: FileText): string {
  if (state === "not_a_file") return "(the path exists, but is not a regular file)";
  if (state === "too_large") return `(replaces a file of ${bytes?.toLocaleString("en")} bytes)`;
  if (state === "binary") return "(replaces a binary file)";
  return `(the existing file cannot be read: ${errno})`;
}

function change(before: string, after: string): CallDetail[] {
  if (before === after) return [{ text: "(no change)", tone: "dim" }];
  const all = diffLines(before, after).map(({ sign, text }): CallDetail => {
    return { text: `${sign} ${visibleLine(text)}`, tone: TONES[sign] };
  });
  const [had, has] = [before, after].map((text) => text.endsWith("\n"));
  if (before === "" || after === "" || had === has) return all;
  return [
    ...all,
    { text: `(${has ? "adds a" : "removes the"} line break at the end)`, tone: "dim" },
  ];
}

const TONES = { "+": "green", "-": "red", " ": "dim", "…": "dim" } as const;

function lines(text: string): CallDetail[] {
  return visible(text)
    .split("\n")
    .map((line) => ({ text: line }));
}

function fieldsOf(input: unknown): Fields {
  return typeof input === "object" && input !== null ? (input as Fields) : {};
}
