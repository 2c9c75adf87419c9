import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { visibleLine } from "../../base/visible.js";
import type { Choice, FieldInput, FormField } from "./elicitation-schema.js";

/** One field of the form of an MCP server. A field that can be empty and is empty has the value undefined. */
export function FormFieldPart({
  field,
  value,
  onChange,
}: {
  readonly field: FormField;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}): JSX.Element {
  const id = useId();
  const { input, isRequired } = field;
  if (input.kind === "boolean") {
    return (
      <label class="check">
        <input
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <FieldName field={field} />
      </label>
    );
  }
  if (input.kind === "choices") {
    return <Choices field={field} choices={input.choices} value={value} onChange={onChange} />;
  }
  return (
    <div>
      <label class="label" for={id}>
        <FieldName field={field} />
        {isRequired ? "" : " (can be empty)"}
      </label>
      {input.kind === "choice" ? (
        <OneChoice
          id={id}
          field={field}
          choices={input.choices}
          value={value}
          onChange={onChange}
        />
      ) : (
        <TypedInput
          id={id}
          input={input}
          isRequired={isRequired}
          value={value}
          onChange={onChange}
        />
      )}
    </div>
  );
}

function FieldName({ field: { label, description } }: { readonly field: FormField }): JSX.Element {
  return (
    <span>
      {visibleLine(label)}
      {description !== undefined && <span class="dim"> {visibleLine(description)}</span>}
    </span>
  );
}

interface ChoiceProps {
  readonly field: FormField;
  readonly choices: readonly Choice[];
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** The options have numbers as values, because a value of the schema need not be a text. */
function OneChoice({
  id,
  field,
  choices,
  value,
  onChange,
}: ChoiceProps & { readonly id: string }): JSX.Element {
  const at = choices.findIndex((choice) => choice.value === value);
  return (
    <select
      id={id}
      required={field.isRequired}
      value={at < 0 ? "" : String(at)}
      onChange={({ currentTarget }) =>
        onChange(
          currentTarget.value === "" ? undefined : choices[Number(currentTarget.value)]?.value,
        )
      }
    >
      <option value="">Choose…</option>
      {choices.map(({ label }, index) => (
        <option key={index} value={String(index)}>
          {visibleLine(label)}
        </option>
      ))}
    </select>
  );
}

function Choices({ field, choices, value, onChange }: ChoiceProps): JSX.Element {
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  const change = (each: unknown, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(each);
    else next.delete(each);
    onChange(choices.map((choice) => choice.value).filter((known) => next.has(known)));
  };
  return (
    <fieldset>
      <legend class="label">
        <FieldName field={field} />
        {field.isRequired ? "" : " (can be empty)"}
      </legend>
      {choices.map((choice, index) => (
        <label class="choice" key={index}>
          <input
            type="checkbox"
            checked={chosen.includes(choice.value)}
            onChange={(event) => change(choice.value, event.currentTarget.checked)}
          />
          {visibleLine(choice.label)}
        </label>
      ))}
    </fieldset>
  );
}

function TypedInput({
  id,
  input,
  isRequired,
  value,
  onChange,
}: {
  readonly id: string;
  readonly input: FieldInput & { readonly kind: "number" | "text" };
  readonly isRequired: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}): JSX.Element {
  if (input.kind === "number") {
    return (
      <input
        id={id}
        type="number"
        step={input.isInteger ? 1 : "any"}
        min={input.least}
        max={input.most}
        required={isRequired}
        value={value === undefined ? "" : String(value)}
        onInput={({ currentTarget: { value: text } }) =>
          onChange(text === "" ? undefined : Number(text))
        }
      />
    );
  }
  const { format, least, most } = input;
  const isTime = format === "datetime-local";
  return (
    <input
      id={id}
      // The types of Preact want one element for each type of input.
      type={format as "text"}
      step={isTime ? 1 : undefined}
      minLength={least}
      maxLength={most}
      required={isRequired}
      value={isTime ? localTime(value) : typeof value === "string" ? value : ""}
      onInput={({ currentTarget: { value: text } }) =>
        onChange(text === "" ? undefined : isTime ? new Date(text).toISOString() : text)
      }
    />
  );
}

/** A time with its zone, as the field of the browser shows it: the time of this place. */
function localTime(value: unknown): string {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) return "";
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
