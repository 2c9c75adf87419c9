import type { JSX } from "preact";
import { type JsonObject, objectOf, shownJson, textField } from "../base/json.js";
import { visibleLine } from "../base/visible.js";
import { CodeBlock } from "./code-block.js";
import { TextDiff } from "./text-diff.js";

/**
 * The input of a tool call: a command as a command, an edit as a diff, anything else as JSON. Every field is shown,
 * because a person may be about to allow the call.
 */
export function ToolInput({
  tool,
  input,
  isWhole = false,
  hasPath = true,
}: {
  readonly tool: string;
  readonly input: unknown;
  /** Nothing is cut, because a person is going to allow it. */
  readonly isWhole?: boolean;
  /** False if the path of the file stands above already. */
  readonly hasPath?: boolean;
}): JSX.Element {
  const fields = objectOf(input);
  const command = textField(fields, "command");
  if (command !== undefined) {
    return <CommandInput command={command} fields={fields} isWhole={isWhole} />;
  }
  const { edits, path, rest } = editsOf(tool, fields);
  if (edits.length === 0) {
    return <CodeBlock label={`Input of ${tool}`} text={shownJson(input)} isWhole={isWhole} />;
  }
  return (
    <>
      {hasPath && <p class="path">{visibleLine(path)}</p>}
      {edits.map(([before, after], index) => (
        // The edits of a call never move, so that the place is a key.
        <TextDiff key={index} before={before} after={after} />
      ))}
      <OtherFields fields={rest} isWhole={isWhole} />
    </>
  );
}

/** Fields of an input that are shown nowhere else. */
export function OtherFields({
  fields,
  isWhole = false,
}: {
  readonly fields: JsonObject;
  readonly isWhole?: boolean;
}): JSX.Element | null {
  const entries = Object.entries(fields);
  if (entries.length === 0) return null;
  if (!entries.every(([name, value]) => isShort(name) && isShort(value))) {
    return (
      <>
        <p class="label">Other fields</p>
        <CodeBlock label="Other fields" text={shownJson(fields)} isWhole={isWhole} />
      </>
    );
  }
  return (
    <dl class="facts-list">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{visibleLine(name)}</dt>
          <dd>{visibleLine(String(value))}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Whether a value is a word or a number, which needs no box of its own. */
function isShort(value: unknown): boolean {
  if (typeof value === "string") return value.length <= 80 && value.trim() !== "";
  return typeof value === "number" || typeof value === "boolean" || value === null;
}

function CommandInput({
  command,
  fields,
  isWhole,
}: {
  readonly command: string;
  readonly fields: JsonObject;
  readonly isWhole: boolean;
}): JSX.Element {
  const { command: _, description, ...rest } = fields;
  const isText = typeof description === "string";
  return (
    <>
      {isText && <p class="said">{visibleLine(description)}</p>}
      <CodeBlock label="Command" text={command} isWhole={isWhole} />
      <OtherFields fields={isText ? rest : withoutCommand(fields)} isWhole={isWhole} />
    </>
  );
}

function withoutCommand({ command: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

type Edit = readonly [before: string, after: string];

interface Edits {
  /** The texts before and after each edit. Empty if the call is no edit, or none that can be shown as one. */
  readonly edits: readonly Edit[];
  readonly path: string;
  /** The fields that the edits do not show. */
  readonly rest: JsonObject;
}

/** The edits of a call, and the fields that they do not show. */
function editsOf(tool: string, fields: JsonObject): Edits {
  const pathField = tool === "NotebookEdit" ? "notebook_path" : "file_path";
  const path = textField(fields, pathField);
  if (path === undefined) return NO_EDITS;
  const showing = (edits: readonly Edit[], ...shown: readonly string[]): Edits => ({
    edits,
    path,
    rest: left(fields, [pathField, ...shown]),
  });
  const { content, new_source, edits } = fields;
  const pair = pairOf(fields);
  if (tool === "Edit" && pair !== undefined) return showing([pair], ...OLD_AND_NEW);
  if (tool === "Write" && typeof content === "string") return showing([["", content]], "content");
  if (tool === "NotebookEdit" && typeof new_source === "string") {
    return showing([["", new_source]], "new_source");
  }
  if (tool !== "MultiEdit" || !Array.isArray(edits)) return NO_EDITS;
  const pairs = edits.map((edit) => pairOf(objectOf(edit)));
  const known = pairs.filter((each) => each !== undefined);
  if (known.length !== edits.length) return NO_EDITS;
  // Fields such as replace_all stand beside the texts of an edit.
  const isPlain = edits.every((edit) => Object.keys(left(edit, OLD_AND_NEW)).length === 0);
  return showing(known, ...(isPlain ? ["edits"] : []));
}

const NO_EDITS: Edits = { edits: [], path: "", rest: {} };
const OLD_AND_NEW = ["old_string", "new_string"];

function pairOf({ old_string, new_string }: JsonObject): Edit | undefined {
  return typeof old_string === "string" && typeof new_string === "string"
    ? [old_string, new_string]
    : undefined;
}

function left(fields: JsonObject, shown: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !shown.includes(name)));
}

/** The fields of a call that the diff of this file does not show. */
export function fieldsBesideDiff(tool: string, input: JsonObject, file: string): JsonObject {
  const { edits, path, rest } = editsOf(tool, input);
  const isSameFile = file === path || file.endsWith(`/${path.replace(/^\.\//, "")}`);
  return edits.length > 0 && isSameFile ? rest : input;
}
