import { randomUUID } from "node:crypto";
import type { ClientTool, JsonSchema, Options } from "../options/index.js";
import type { ToolCall } from "./completion.js";

/**
 * A tool call that the model must make. The CLI cannot force a call, but it can ask for a value by schema and
 * lets the model repair it; the value is the call.
 */
export interface ForcedToolCall {
  readonly schema: JsonSchema;
  readonly callOf: (value: unknown) => ToolCall;
}

/** Undefined if the model decides itself whether it calls a tool. */
export function forcedToolCall({
  clientTools = [],
  toolChoice,
}: Options): ForcedToolCall | undefined {
  const [first, ...others] = clientTools;
  if (first === undefined || toolChoice === undefined) return undefined;
  if (typeof toolChoice === "object") {
    const named = clientTools.find(({ name }) => name === toolChoice.tool) ?? first;
    return oneTool(named);
  }
  if (toolChoice !== "required") return undefined;
  return others.length === 0 ? oneTool(first) : anyTool(clientTools);
}

function oneTool({ name, description, inputSchema }: ClientTool): ForcedToolCall {
  return {
    schema: { description: `The input of ${name}: ${description}`, ...inputSchema },
    callOf: (input) => toolCall(name, input),
  };
}

function anyTool(tools: readonly ClientTool[]): ForcedToolCall {
  const calls = tools.map(({ name, description, inputSchema }) => ({
    type: "object",
    description,
    properties: { tool: { const: name }, input: inputSchema },
    required: ["tool", "input"],
    additionalProperties: false,
  }));
  return {
    schema: {
      type: "object",
      description: "One call of a tool: its name and its input.",
      properties: { call: { anyOf: calls } },
      required: ["call"],
      additionalProperties: false,
    },
    callOf: (value) => {
      const { call } = value as {
        readonly call: { readonly tool: string; readonly input: unknown };
      };
      return toolCall(call.tool, call.input);
    },
  };
}

function toolCall(name: string, input: unknown): ToolCall {
  return { id: `toolu_${randomUUID().replaceAll("-", "")}`, name, input };
}
