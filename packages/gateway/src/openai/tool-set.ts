import type { ClientTool, JsonSchema, ToolChoice } from "hawser";
import { shownName } from "../answer/renamed-tools.js";
import type { IgnoredParameters } from "../body/ignored-parameters.js";
import { RequestError } from "../errors/request-error.js";

/** A tool of a request, in the terms that both OpenAI formats share. */
export interface ToolInput {
  readonly kind: "function" | "custom";
  readonly name: string;
  /** The group of the tool, which calls of the tool name. */
  readonly namespace?: string | undefined;
  readonly description?: string | null | undefined;
  readonly parameters?: Readonly<Record<string, unknown>> | null | undefined;
  readonly strict?: boolean | null | undefined;
  /** The format of a custom tool's input. */
  readonly format?: CustomFormat | null | undefined;
  readonly path: string;
}

export type CustomFormat =
  | { readonly type: "text" }
  | { readonly type: "grammar"; readonly syntax: string; readonly definition: string };

/**
 * The tools of a request. A custom tool takes any text; the model sees it as a tool with the one parameter `input`,
 * and the answer shows the text of this parameter again.
 */
export class ToolSet {
  readonly tools: readonly ClientTool[];
  readonly #inputs: ReadonlyMap<string, ToolInput>;

  constructor(inputs: readonly ToolInput[], ignored: IgnoredParameters) {
    const names = new Set<string>();
    for (const input of inputs) {
      const { path } = input;
      const name = nameInGroup(input);
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
        throw refusal(
          path,
          `"${name}" is no name of a tool. Use 1 to 64 letters, digits, _ and -.`,
        );
      }
      if (names.has(name)) throw refusal(path, `there are two tools with the name "${name}".`);
      names.add(name);
    }
    this.tools = inputs.map((input) => clientTool(input, ignored));
    this.#inputs = new Map(inputs.map((input) => [nameInGroup(input), input]));
  }

  isCustom(name: string): boolean {
    return this.#inputs.get(name)?.kind === "custom";
  }

  /** The name of a tool and of its group as the client knows them, from the name that the model sees. */
  clientName(name: string): { readonly name: string; readonly namespace?: string } {
    const input = this.#inputs.get(name);
    if (input?.namespace === undefined) return { name };
    return { name: input.name, namespace: input.namespace };
  }

  /** The choice of one tool. */
  named(name: string, path: string): ToolChoice {
    if (this.tools.some((tool) => tool.name === name)) return { tool: name };
    throw refusal(path, `there is no tool "${name}" in \`tools\`.`);
  }

  /** The tools that the client allows for this request. */
  only(names: readonly string[], path: string): readonly ClientTool[] {
    for (const name of names) this.named(name, path);
    return this.tools.filter(({ name }) => names.includes(name));
  }
}

/** The name under which the model sees a tool: the Messages API has no groups of tools. */
export function nameInGroup({
  name,
  namespace,
}: {
  readonly name: string;
  readonly namespace?: string | null | undefined;
}): string {
  if (namespace === undefined || namespace === null || namespace === "") return name;
  return namespace.endsWith("__") ? `${namespace}${name}` : `${namespace}__${name}`;
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

function clientTool(tool: ToolInput, ignored: IgnoredParameters): ClientTool {
  const { description, kind, path } = tool;
  const name = nameInGroup(tool);
  if (tool.strict === true) ignored.add(`${path}.strict`);
  const shown = shownName(name);
  if (shown !== name) ignored.add(`${path}.name`, `the model sees ${name} as ${shown}`);
  if (kind === "function") {
    const inputSchema = (tool.parameters ?? { type: "object", properties: {} }) as JsonSchema;
    return { name, description: description ?? "", inputSchema };
  }
  if (tool.format?.type === "grammar")
    ignored.add(`${path}.format`, "told to the model but not enforced");
  const inputSchema = {
    type: "object",
    properties: { input: { type: "string" } },
    required: ["input"],
  };
  return { name, description: customDescription(tool), inputSchema };
}

function customDescription({ description, format }: ToolInput): string {
  const text = description ?? "";
  if (format?.type !== "grammar") return text;
  return `${text}\n\nThe input must fit this ${format.syntax} grammar:\n${format.definition}`.trim();
}

function refusal(path: string, text: string): RequestError {
  return new RequestError("invalid_request", `\`${path}\`: ${text}`, { param: path });
}
