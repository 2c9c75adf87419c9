import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { ClientTool, JsonSchema } from "hawser";
import type { CallWarnings } from "../call-warnings.js";

/** The tools that the AI SDK runs itself. A tool of another provider is left out with a warning. */
export function clientTools(
  tools: NonNullable<LanguageModelV4CallOptions["tools"]>,
  warnings: CallWarnings,
): readonly ClientTool[] {
  return tools.flatMap((tool) => {
    if (tool.type === "function") return [clientTool(tool, warnings)];
    const details = "The tool was left out, because another provider runs it.";
    warnings.unsupported(`provider-defined tool ${tool.id}`, details);
    return [];
  });
}

function clientTool(tool: LanguageModelV4FunctionTool, warnings: CallWarnings): ClientTool {
  const { name, description = "", inputSchema, inputExamples = [], strict } = tool;
  if (strict === true) {
    const details = "The input of a call is not forced into the schema. The AI SDK checks it.";
    warnings.unsupported(`strict mode of the tool ${name}`, details);
  }
  return {
    name,
    description: [description, ...examplesText(inputExamples)].filter(Boolean).join("\n\n"),
    inputSchema: inputSchema as JsonSchema,
  };
}

/** The CLI has no place for examples, so they go into the description. */
function examplesText(
  examples: NonNullable<LanguageModelV4FunctionTool["inputExamples"]>,
): readonly string[] {
  if (examples.length === 0) return [];
  const lines = examples.map(({ input }) => JSON.stringify(input));
  return [`Examples of the input:\n${lines.join("\n")}`];
}
