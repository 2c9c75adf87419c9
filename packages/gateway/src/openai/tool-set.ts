import type { ClientTool, JsonSchema, ToolChoice } from "hawser";
import { shownName } from "hawser/answer";
import type { IgnoredParameters } from "../body/ignored-parameters.js";
import { RequestError } from "../errors/request-error.js";
import { hashedName, namespacedName } from "./namespaced-name.js";

/** A tool of a request, in the terms that both OpenAI formats share. */
export interface ToolInput {
  readonly kind: "function" | "custom";
  readonly name: string;
  /** The namespace that groups the tool with others. Two tools of different namespaces can have the same name. */
  readonly namespace?: ToolNamespace | undefined;
  readonly description?: string | null | undefined;
  readonly parameters?: Readonly<Record<string, unknown>> | null | undefined;
  readonly strict?: boolean | null | undefined;
  /** The format of a custom tool's input. */
  readonly format?: CustomFormat | null | undefined;
  readonly path: string;
}

export interface ToolNamespace {
  readonly name: string;
  readonly description?: string | null | undefined;
}

/** A tool as the client names it. */
export interface ToolName {
  readonly name: string;
  readonly namespace?: string | null | undefined;
}

export type CustomFormat =
  | { readonly type: "text" }
  | { readonly type: "grammar"; readonly syntax: string; readonly definition: string };

/**
 * The tools of a request. A custom tool takes any text; the model sees it as a tool with the one parameter `input`,
 * and the answer shows the text of this parameter again. The model sees a tool of a namespace under one name for both.
 */
export class ToolSet {
  readonly tools: readonly ClientTool[];
  /** The tools by the names that the model sees. */
  readonly #inputs: ReadonlyMap<string, ToolInput>;
  /** The names that the model sees, by the names of the client. */
  readonly #modelNames: ReadonlyMap<string, string>;

  constructor(inputs: readonly ToolInput[], ignored: IgnoredParameters) {
    refuseBadNames(inputs);
    this.#inputs = byModelName(inputs);
    this.#modelNames = new Map(
      [...this.#inputs].map(([modelName, input]) => [keyOf(clientName(input)), modelName]),
    );
    this.tools = inputs.map((input) =>
      clientTool(input, this.modelName(clientName(input)), ignored),
    );
  }

  isCustom(modelName: string): boolean {
    return this.#inputs.get(modelName)?.kind === "custom";
  }

  /** The name that the model sees. A tool of an earlier request need not be in this set. */
  modelName(tool: ToolName): string {
    const known = this.#modelNames.get(keyOf(tool));
    if (known !== undefined) return known;
    return isNamespaced(tool) ? namespacedName(tool.namespace, tool.name) : tool.name;
  }

  /** The tool that the model calls by the name that it sees. */
  clientName(modelName: string): { readonly name: string; readonly namespace?: string } {
    const input = this.#inputs.get(modelName);
    return input === undefined ? { name: modelName } : clientName(input);
  }

  /** The choice of one tool. */
  named(tool: ToolName, path: string): ToolChoice & object {
    const modelName = this.#modelNames.get(keyOf(tool));
    if (modelName !== undefined) return { tool: modelName };
    const where = isNamespaced(tool) ? `in the namespace "${tool.namespace}"` : "in `tools`";
    throw refusal(path, `there is no tool "${tool.name}" ${where}.`);
  }

  /** The tools that the client allows for this request. */
  only(tools: readonly ToolName[], path: string): readonly ClientTool[] {
    const names = new Set(tools.map((tool) => this.named(tool, path).tool));
    return this.tools.filter(({ name }) => names.has(name));
  }
}

function refuseBadNames(inputs: readonly ToolInput[]): void {
  const keys = new Set<string>();
  for (const input of inputs) {
    const { name, namespace, path } = input;
    refuseBadName(name, "tool", path);
    if (namespace !== undefined) refuseBadName(namespace.name, "namespace", path);
    const key = keyOf(clientName(input));
    if (keys.has(key)) throw refusal(path, `there are two tools with the name "${name}".`);
    keys.add(key);
  }
}

function refuseBadName(name: string, what: string, path: string): void {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return;
  throw refusal(path, `"${name}" is no name of a ${what}. Use 1 to 64 letters, digits, _ and -.`);
}

/** A plain tool keeps its name. A tool of a namespace gives way to other tools with the same name. */
function byModelName(inputs: readonly ToolInput[]): ReadonlyMap<string, ToolInput> {
  const plain = new Set(inputs.filter(({ namespace }) => !namespace).map(({ name }) => name));
  const named = new Map<string, ToolInput>();
  for (const input of inputs) {
    const { name, namespace } = input;
    if (namespace === undefined) {
      named.set(name, input);
      continue;
    }
    const wanted = namespacedName(namespace.name, name);
    const isTaken = plain.has(wanted) || named.has(wanted);
    named.set(isTaken ? hashedName(namespace.name, name) : wanted, input);
  }
  return named;
}

function clientName({ name, namespace }: ToolInput): {
  readonly name: string;
  readonly namespace?: string;
} {
  return namespace === undefined ? { name } : { name, namespace: namespace.name };
}

function isNamespaced(tool: ToolName): tool is ToolName & { readonly namespace: string } {
  return typeof tool.namespace === "string" && tool.namespace !== "";
}

function keyOf(tool: ToolName): string {
  return isNamespaced(tool) ? JSON.stringify([tool.namespace, tool.name]) : tool.name;
}

/** The choice of a request with the tools among which the model can choose. */
export interface ToolSelection {
  readonly tools: readonly ClientTool[];
  readonly toolChoice: ToolChoice;
}

/** `required` without tools cannot be fulfilled; other choices have no effect then. */
export function selectTools(
  tools: readonly ClientTool[],
  choice: ToolChoice,
  path: string,
): ToolSelection {
  if (tools.length > 0) return { tools, toolChoice: choice };
  if (choice === "required")
    throw refusal(path, "a tool call is required, but there are no `tools`.");
  return { tools, toolChoice: "auto" };
}

/** The input of a call of a custom tool, for the history. */
export function customInput(text: string): { readonly input: string } {
  return { input: text };
}

/** The text in the input of a call of a custom tool. */
export function customText(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    const text =
      typeof value === "object" && value !== null
        ? (value as { input?: unknown }).input
        : undefined;
    return typeof text === "string" ? text : json;
  } catch {
    return json;
  }
}

function clientTool(tool: ToolInput, name: string, ignored: IgnoredParameters): ClientTool {
  const { kind, path } = tool;
  if (tool.strict === true) ignored.add(`${path}.strict`);
  const shown = shownName(name);
  if (shown !== name) ignored.add(`${path}.name`, `the model sees ${name} as ${shown}`);
  if (kind === "function") {
    const inputSchema = (tool.parameters ?? { type: "object", properties: {} }) as JsonSchema;
    return { name, description: describe(tool), inputSchema };
  }
  if (tool.format?.type === "grammar")
    ignored.add(`${path}.format`, "told to the model but not enforced");
  const inputSchema = {
    type: "object",
    properties: { input: { type: "string" } },
    required: ["input"],
  };
  return { name, description: describe(tool), inputSchema };
}

/** The description of its namespace is a part of it, because the model sees no namespaces. */
function describe({ namespace, description, format }: ToolInput): string {
  const grammar =
    format?.type === "grammar"
      ? `The input must fit this ${format.syntax} grammar:\n${format.definition}`
      : "";
  return [description ?? "", namespace?.description ?? "", grammar]
    .filter((text) => text !== "")
    .join("\n\n");
}

function refusal(path: string, text: string): RequestError {
  return new RequestError("invalid_request", `\`${path}\`: ${text}`, { param: path });
}
