import { isObject, type JsonObject, numberField, objectOf, textField } from "../../base/json.js";

/** A field of the form of an MCP server, as its JSON Schema describes it. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly default: unknown;
  readonly input: FieldInput;
}

/** What a person can enter. */
export type FieldInput =
  | { readonly kind: "boolean" }
  | { readonly kind: "choice"; readonly choices: readonly Choice[] }
  | {
      readonly kind: "choices";
      readonly choices: readonly Choice[];
      readonly least: number;
      readonly most: number;
    }
  | {
      readonly kind: "number";
      readonly isInteger: boolean;
      readonly least: number | undefined;
      readonly most: number | undefined;
    }
  | {
      readonly kind: "text";
      readonly format: "text" | "email" | "url" | "date" | "datetime-local";
      readonly least: number | undefined;
      readonly most: number | undefined;
    };

export interface Choice {
  readonly value: unknown;
  readonly label: string;
}

/** The fields that the protocol allows: texts, numbers, yes or no, one of a list, and some of a list. */
export function formFields(requestedSchema: unknown): readonly FormField[] {
  const schema = objectOf(requestedSchema);
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(objectOf(schema["properties"])).map(([name, value]) => {
    const field = objectOf(value);
    return {
      name,
      label: textField(field, "title") ?? name,
      description: textField(field, "description"),
      isRequired: required.includes(name),
      default: field["default"],
      input: inputOf(field),
    };
  });
}

function inputOf(field: JsonObject): FieldInput {
  const { type } = field;
  if (type === "boolean") return { kind: "boolean" };
  if (type === "array") {
    const choices = choicesOf(objectOf(field["items"])) ?? [];
    const least = numberField(field, "minItems") ?? 0;
    return { kind: "choices", choices, least, most: numberField(field, "maxItems") ?? Infinity };
  }
  const choices = choicesOf(field);
  if (choices !== undefined) return { kind: "choice", choices };
  if (type === "number" || type === "integer") {
    const [least, most] = [numberField(field, "minimum"), numberField(field, "maximum")];
    return { kind: "number", isInteger: type === "integer", least, most };
  }
  const [least, most] = [numberField(field, "minLength"), numberField(field, "maxLength")];
  const format = FORMATS[textField(field, "format") ?? ""] ?? "text";
  return { kind: "text", format, least, most };
}

const FORMATS: Readonly<Record<string, "email" | "url" | "date" | "datetime-local">> = {
  email: "email",
  uri: "url",
  date: "date",
  "date-time": "datetime-local",
};

/** `enum`, with or without `enumNames`, or `oneOf` and `anyOf` with a title for each value. */
function choicesOf(schema: JsonObject): readonly Choice[] | undefined {
  const { enum: values, enumNames: names } = schema;
  if (Array.isArray(values)) {
    const labels = Array.isArray(names) ? names : [];
    return values.map((value, index) => ({ value, label: String(labels[index] ?? value) }));
  }
  const titled = schema["oneOf"] ?? schema["anyOf"];
  if (!Array.isArray(titled)) return undefined;
  return titled
    .filter(isObject)
    .filter((choice) => "const" in choice)
    .map((choice) => ({
      value: choice["const"],
      label: textField(choice, "title") ?? String(choice["const"]),
    }));
}

/** What the form has before a person changes it. A default that does not fit its field is left out. */
export function defaultContent(fields: readonly FormField[]): JsonObject {
  const entries = fields.map((field) => [field.name, defaultValue(field)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function defaultValue({ input, default: value }: FormField): unknown {
  switch (input.kind) {
    // A box that is not checked says no.
    case "boolean":
      return value === true;
    case "choice":
      return input.choices.some((choice) => choice.value === value) ? value : undefined;
    case "choices": {
      const chosen = Array.isArray(value) ? value : [];
      return input.choices.map((choice) => choice.value).filter((each) => chosen.includes(each));
    }
    case "number":
      return typeof value === "number" ? value : undefined;
    case "text":
      return typeof value === "string" ? value : undefined;
  }
}

/** Why the content cannot be sent, as far as the browser does not check it by itself. */
export function contentProblem(
  fields: readonly FormField[],
  content: JsonObject,
): string | undefined {
  for (const { name, label, input, isRequired } of fields) {
    if (input.kind !== "choices") continue;
    const chosen = content[name];
    const count = Array.isArray(chosen) ? chosen.length : 0;
    if (count === 0 && !isRequired) continue;
    if (count < Math.max(input.least, isRequired ? 1 : 0)) {
      return `${label}: choose at least ${Math.max(input.least, 1)}.`;
    }
    if (count > input.most) return `${label}: choose at most ${input.most}.`;
  }
  return undefined;
}

/** The content for the server: without lists of which nothing was chosen and nothing has to be. */
export function sentContent(fields: readonly FormField[], content: JsonObject): JsonObject {
  const isSent = ({ name, input, isRequired }: FormField) => {
    const value = content[name];
    if (value === undefined) return false;
    return input.kind !== "choices" || isRequired || (value as readonly unknown[]).length > 0;
  };
  return Object.fromEntries(fields.filter(isSent).map(({ name }) => [name, content[name]]));
}
