import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { JsonObject } from "../../base/json.js";
import { visibleLine } from "../../base/visible.js";
import type { ShownApproval } from "../../net/approval-shape.js";
import { Key, Problem } from "../../parts/small-parts.js";
import type { Answer } from "./answer-question.js";
import { contentProblem, defaultContent, formFields, sentContent } from "./elicitation-schema.js";
import { FormFieldPart } from "./form-field-part.js";

/** The question of an MCP server: a form made from its JSON Schema, or an address to open. */
export function ElicitationForm({
  approval: { mode, url, requestedSchema },
  isBusy,
  onAnswer,
}: {
  readonly approval: ShownApproval;
  readonly isBusy: boolean;
  readonly onAnswer: (answer: Answer) => void;
}): JSX.Element {
  const isForm = mode !== "url";
  const fields = isForm ? formFields(requestedSchema) : [];
  const [content, setContent] = useState<JsonObject>(() => defaultContent(fields));
  const [problem, setProblem] = useState<string>();
  const submit = () => {
    const found = contentProblem(fields, content);
    setProblem(found);
    if (isBusy || found !== undefined) return;
    const sent = isForm && { content: sentContent(fields, content) };
    onAnswer({ decision: "accept", ...sent });
  };
  return (
    <form
      class="card-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {!isForm && url !== undefined && <UrlToOpen url={url} />}
      {fields.map((field) => (
        <FormFieldPart
          key={field.name}
          field={field}
          value={content[field.name]}
          onChange={(value) => setContent((before) => ({ ...before, [field.name]: value }))}
        />
      ))}
      <Problem text={problem} />
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          {isForm ? "Send" : "Done"} <Key name="↵" />
        </button>
        <button type="button" disabled={isBusy} onClick={() => onAnswer({ decision: "decline" })}>
          Decline <Key name="d" />
        </button>
        <button type="button" disabled={isBusy} onClick={() => onAnswer({ decision: "cancel" })}>
          Cancel <Key name="c" />
        </button>
      </div>
    </form>
  );
}

/** Only an address of the web is a link. Any other text is shown as text. */
function UrlToOpen({ url }: { readonly url: string }): JSX.Element {
  if (!/^https?:\/\//i.test(url)) return <p class="path">{visibleLine(url)}</p>;
  return (
    <p class="path">
      <a href={url} target="_blank" rel="noopener noreferrer">
        {visibleLine(url)}
      </a>
    </p>
  );
}
