import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ToolChoice } from "hawser";
import { isForced, type ModelRequest } from "hawser/answer";
import { CallWarnings } from "../call-warnings.js";
import type { ModelContext } from "../model-context.js";
import { translatePrompt } from "../prompt/index.js";
import { callSettings, type ModelSettings } from "../settings.js";
import { clientTools } from "./client-tools.js";
import { ineffectiveSettings } from "./ineffective-settings.js";
import { thinkingOf } from "./thinking.js";

/** A call of the AI SDK as a request to the model. */
export interface TranslatedCall {
  readonly request: ModelRequest;
  readonly settings: ModelSettings;
  readonly warnings: CallWarnings;
}

/** Throws `InvalidPromptError` for a prompt, and `invalid_options` for a setting, that the model cannot obey. */
export function translateCall(
  options: LanguageModelV4CallOptions,
  { modelId, defaults }: ModelContext,
): TranslatedCall {
  const warnings = new CallWarnings();
  const settings = callSettings(defaults, options.providerOptions?.["hawser"]);
  ineffectiveSettings(options, warnings);
  const tools = clientTools(options.tools ?? [], warnings);
  const base: ModelRequest = {
    model: modelId,
    ...translatePrompt(options.prompt, warnings),
    tools,
    toolChoice: toolChoiceOf(options.toolChoice),
    allowsParallelCalls: settings.parallelToolCalls ?? true,
    schema: undefined,
    wantsJson: false,
    ...thinkingOf(options.reasoning, settings, warnings),
    stopSequences: [],
  };
  const request = { ...base, ...formatOf(options, base, warnings) };
  return { request, settings, warnings };
}

/** What the answer must be: a value by schema, JSON of any shape, or a text that ends at a stop sequence. */
function formatOf(
  { responseFormat, stopSequences = [] }: LanguageModelV4CallOptions,
  request: ModelRequest,
  warnings: CallWarnings,
): Partial<ModelRequest> {
  if (responseFormat?.type !== "json") {
    if (stopSequences.length > 0) {
      const details =
        "The CLI has no stop sequences. The text is cut at the sequence and the model is stopped, after it has written a little more.";
      warnings.compatibility("stopSequences", details);
    }
    return { stopSequences };
  }
  if (stopSequences.length > 0) {
    warnings.unsupported("stopSequences", "A JSON answer does not end at a stop sequence.");
  }
  if (isForced(request)) {
    const details = "The model must call a tool in this step, so that it cannot answer with JSON.";
    warnings.compatibility("responseFormat", details);
    return {};
  }
  const { schema, name, description } = responseFormat;
  if (schema === undefined) {
    const details =
      "Without a schema, JSON is asked for by an instruction. The answer is checked, but not repaired.";
    warnings.compatibility("responseFormat", details);
    return { wantsJson: true };
  }
  return { schema: named(schema as Record<string, unknown>, name, description) };
}

/** The name and the description of the output help the model. A schema has places for them. */
function named(
  schema: Readonly<Record<string, unknown>>,
  title: string | undefined,
  description: string | undefined,
): Readonly<Record<string, unknown>> {
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...schema,
  };
}

function toolChoiceOf(choice: LanguageModelV4CallOptions["toolChoice"]): ToolChoice {
  if (choice === undefined) return "auto";
  return choice.type === "tool" ? { tool: choice.toolName } : choice.type;
}
