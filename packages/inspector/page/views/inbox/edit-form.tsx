import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type JsonObject, parseObject, textField } from "../../base/json.js";
import { visible } from "../../base/visible.js";
import { CodeBlock } from "../../parts/code-block.js";
import { Key, Problem, useFocus } from "../../parts/small-parts.js";

/** Changes the input of a tool call before it is allowed: the text that matters most, or the whole input as JSON. */
export function EditForm({
  tool,
  input,
  isBusy,
  onAllow,
  onCancel,
}: {
  readonly tool: string;
  readonly input: JsonObject;
  readonly isBusy: boolean;
  readonly onAllow: (input: JsonObject) => void;
  readonly onCancel: () => void;
}): JSX.Element {
  const main = mainField(tool, input);
  const [isJson, setJson] = useState(main === undefined);
  const [draft, setDraft] = useState(() => draftOf(input, main));
  /** The fields that the text is not a part of. */
  const [base, setBase] = useState(input);
  const [problem, setProblem] = useState<string>();
  const field = useFocus<HTMLTextAreaElement>();
  const edited = (): { readonly value: JsonObject } | { readonly problem: string } =>
    isJson || main === undefined
      ? parseObject(draft)
      : { value: { ...base, [main]: withLineEnds(draft, input[main]) } };

  const submit = () => {
    const result = edited();
    if ("problem" in result) setProblem(result.problem);
    else if (!isBusy) onAllow(result.value);
  };
  const toggle = () => {
    const result = edited();
    if ("problem" in result) return setProblem(result.problem);
    setProblem(undefined);
    setBase(result.value);
    setDraft(isJson ? draftOf(result.value, main) : draftOf(result.value, undefined));
    setJson(!isJson);
  };
  const label = isJson ? `Input of ${tool} as JSON` : (LABELS[main ?? ""] ?? main);
  return (
    <form
      class="card-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onCancel();
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
      }}
    >
      <label>
        <span class="label">{label}</span>
        <textarea
          ref={field}
          class="code"
          rows={Math.min(16, Math.max(3, draft.split("\n").length + 1))}
          spellcheck={false}
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
        />
      </label>
      {visible(draft) !== draft && (
        <>
          <p class="warn">The text has characters that cannot be seen. They are shown here:</p>
          <CodeBlock label="Text with its invisible characters" text={draft} isWhole />
        </>
      )}
      <Problem text={problem} />
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          Allow with this input <Key name="Ctrl ↵" />
        </button>
        {main !== undefined && (
          <button type="button" onClick={toggle}>
            {isJson ? "Edit only the text" : "Edit as JSON"}
          </button>
        )}
        <button type="button" onClick={onCancel}>
          Cancel <Key name="Esc" />
        </button>
      </div>
    </form>
  );
}

/** The text that a person most likely wants to change. */
function mainField(tool: string, input: JsonObject): string | undefined {
  const name = MAIN_FIELDS[tool] ?? "command";
  return textField(input, name) === undefined ? undefined : name;
}

/** A field of a form has only line feeds. */
function withLineEnds(draft: string, before: unknown): string {
  const isWindows = typeof before === "string" && before.includes("\r\n");
  return isWindows ? draft.replace(/\r?\n/g, "\r\n") : draft;
}

function draftOf(input: JsonObject, main: string | undefined): string {
  return main === undefined ? JSON.stringify(input, undefined, 2) : (textField(input, main) ?? "");
}

const MAIN_FIELDS: Readonly<Record<string, string>> = {
  Write: "content",
  Edit: "new_string",
  NotebookEdit: "new_source",
  WebFetch: "url",
  ExitPlanMode: "plan",
};

const LABELS: Readonly<Record<string, string>> = {
  command: "Command",
  content: "Content of the file",
  new_string: "New text",
  new_source: "New text of the cell",
  url: "Address",
  plan: "Plan",
};
