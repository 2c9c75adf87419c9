import { resolve } from "node:path";
import { isObject, objectOf } from "../../base/index.js";
import { type DiffLine, diffLines } from "./diff-lines.js";
import { type FileState, type FileText, readFileText } from "./read-file-text.js";

/**
 * What a call of Edit, Write, MultiEdit or NotebookEdit changes in its file.
 *
 * @example
 * ```ts
 * const text = diff.lines.map(({ sign, text }) => `${sign} ${text}`).join("\n");
 * ```
 */
export interface FileDiff {
  /** The absolute path of the file. */
  readonly path: string;
  /**
   * What is known of the file on disk. `missing`: the call creates it. In all other states than `read`
   * and `missing`, the content of the file is not known, and the lines are those of the input.
   */
  readonly file: FileState;
  /** False if the text that an edit replaces is not in the file, so that the call will fail. */
  readonly applies: boolean;
  /** The changed lines with three lines around them. The sign `…` stands for lines in between. */
  readonly lines: readonly DiffLine[];
  /** How many lines are left out at the end, because the diff is too long. */
  readonly omitted: number;
}

/** The change that a call makes in its file; undefined if the call changes no file. */
export function fileDiff(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  cwd: string,
): FileDiff | undefined {
  const change = CHANGES[tool];
  // Each tool reads one of these fields. The other one, if the model adds it, names no file that changes.
  const named = input[tool === "NotebookEdit" ? "notebook_path" : "file_path"];
  if (change === undefined || typeof named !== "string") return undefined;
  const path = resolve(cwd, named);
  const file = readFileText(path);
  const changed = change(input, file);
  if (changed === undefined) return undefined;
  const { before, after, applies = true } = changed;
  return { path, file: file.state, applies, ...bounded(diffLines(before, after)) };
}

interface Change {
  readonly before: string;
  readonly after: string;
  readonly applies?: boolean;
}

type Input = Readonly<Record<string, unknown>>;

const CHANGES: Readonly<Record<string, (input: Input, file: FileText) => Change | undefined>> = {
  Write: ({ content }, { text }) =>
    typeof content === "string" ? { before: text, after: content } : undefined,
  Edit: (input, file) => edited([input], file),
  MultiEdit: ({ edits }, file) =>
    Array.isArray(edits) ? edited(edits.filter(isObject), file) : undefined,
  NotebookEdit: cellChange,
};

/** Makes the edits one after another. If one does not fit, the change is that of the edits alone. */
function edited(edits: readonly Input[], { state, text }: FileText): Change {
  // The CLI reads a file with the line breaks of Unix, and so does the model.
  const before = text.replaceAll("\r\n", "\n");
  let after: string | undefined = before;
  for (const { old_string, new_string, replace_all } of edits) {
    if (typeof old_string !== "string" || typeof new_string !== "string") after = undefined;
    else if (after !== undefined) after = replaced(after, old_string, new_string, replace_all);
  }
  if (after !== undefined) return { before, after };
  const side = (name: string) => edits.map((edit) => String(edit[name] ?? "")).join("\n");
  const isKnown = state === "read" || state === "missing";
  return { before: side("old_string"), after: side("new_string"), applies: !isKnown };
}

/** Undefined if the old text is not in the text. An empty old text makes a new file. */
function replaced(text: string, old: string, by: string, all: unknown): string | undefined {
  if (old === "") return text === "" ? by : undefined;
  if (!text.includes(old)) return undefined;
  return all === true ? text.replaceAll(old, () => by) : text.replace(old, () => by);
}

/** The change of one cell. Without the cell, only the new text is known. */
function cellChange({ cell_id, new_source, edit_mode }: Input, { text }: FileText): Change {
  const source = edit_mode === "insert" ? "" : (cellSource(text, cell_id) ?? "");
  return { before: source, after: edit_mode === "delete" ? "" : String(new_source ?? "") };
}

/** The text of a cell of a notebook. The CLI names a cell by its id, or by `cell-` and its place. */
function cellSource(notebook: string, id: unknown): string | undefined {
  try {
    const { cells } = objectOf(JSON.parse(notebook));
    const list = Array.isArray(cells) ? cells.map(objectOf) : [];
    const place = /^cell-(\d+)$/.exec(String(id))?.[1];
    const cell = list.find((each) => each["id"] === id) ?? list[Number(place ?? -1)];
    const source = cell?.["source"];
    return Array.isArray(source) ? source.join("") : (source as string | undefined);
  } catch {
    return undefined; // No notebook.
  }
}

/** Cuts a diff that is too long to be sent and shown. */
function bounded(all: readonly DiffLine[]): Pick<FileDiff, "lines" | "omitted"> {
  const lines: DiffLine[] = [];
  let room = MOST_CHARACTERS;
  for (const { sign, text } of all.slice(0, MOST_LINES)) {
    if (room <= 0) break;
    lines.push({ sign, text: text.length > room ? `${text.slice(0, room)}…` : text });
    room -= text.length + 1;
  }
  return { lines, omitted: all.length - lines.length };
}

const MOST_LINES = 2000;
const MOST_CHARACTERS = 200_000;
