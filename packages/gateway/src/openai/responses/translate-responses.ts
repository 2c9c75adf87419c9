import type { ContentBlock, JsonSchema, ToolChoice } from "hawser";
import type { ModelRequest } from "hawser/answer";
import type { TranslatedRequest } from "../../answer/translated-request.js";
import { type HostedTools, leaveOutHostedTool } from "../../body/hosted-tools.js";
import { IgnoredParameters } from "../../body/ignored-parameters.js";
import { applyParameterTable } from "../../body/parameters.js";
import { RequestError } from "../../errors/request-error.js";
import type { UrlFiles } from "../../http/url-files.js";
import { ConversationBuilder } from "../conversation-builder.js";
import { fileBlock, fileBlockOfUrl, imageBlock } from "../media-blocks.js";
import { parseArguments } from "../parse-arguments.js";
import { reasoningEffort, SHOWN_THINKING } from "../reasoning-effort.js";
import {
  customInput,
  selectTools,
  type ToolInput,
  type ToolNamespace,
  type ToolSelection,
  ToolSet,
} from "../tool-set.js";
import { decodeThinking } from "./encrypted-thinking.js";
import type { InputPart, MessageItem, MessagePart, ResponseItem } from "./response-item.js";
import {
  type ClientResponsesTool,
  isHostedTool,
  type ResponsesBody,
  type ResponsesNamedTool,
  type ResponsesTextConfig,
  type ResponsesTool,
  type ResponsesToolChoice,
} from "./responses-body.js";
import { RESPONSES_PARAMETERS } from "./responses-parameters.js";

/** A translated request of `POST /v1/responses`, with what its answer has to look like. */
export interface TranslatedResponses extends TranslatedRequest {
  readonly toolSet: ToolSet;
  /** Whether the client reads the model's thinking. */
  readonly showsSummary: boolean;
  /** Whether the client keeps the thinking for a later request. */
  readonly showsEncryptedThinking: boolean;
}

/**
 * Translates a request. `earlier` are the items of the conversation that `previous_response_id` continues, and
 * `input` are the items of the body, in which references have been replaced by what they stand for. Without `files`,
 * which takes the files that are named by URL, URLs are refused.
 */
export function translateResponses(
  body: ResponsesBody,
  earlier: readonly ResponseItem[],
  input: readonly ResponseItem[],
  hostedTools: HostedTools = "refuse",
  files?: UrlFiles,
): TranslatedResponses {
  const ignored = new IgnoredParameters();
  applyParameterTable(body, RESPONSES_PARAMETERS, ignored);
  const toolSet = new ToolSet(toolInputs(body.tools ?? [], hostedTools, ignored), ignored);
  if (earlier.length === 0 && input.length === 0) {
    throw refusal("input", "there is nothing to answer. Pass a text or a list of items.");
  }
  const builder = new ConversationBuilder(ignored);
  if (typeof body.instructions === "string") builder.addSystem(body.instructions, "instructions");
  const collected: Collected = { ignored, files };
  const add = (item: ResponseItem, path: string) =>
    addItem(builder, item, path, toolSet, collected);
  for (const item of earlier) add(item, "previous_response_id");
  for (const [i, item] of input.entries()) add(item, `input[${i}]`);
  const { effort, ...reasoning } = body.reasoning ?? {};
  const showsSummary = summaryWanted(reasoning, ignored);
  const thinking = reasoningEffort(effort, "reasoning.effort", ignored);
  const request: ModelRequest = {
    model: body.model,
    ...builder.build("input"),
    ...toolSelection(body.tool_choice, toolSet),
    allowsParallelCalls: body.parallel_tool_calls !== false,
    ...textFormat(body.text, ignored),
    effort: thinking.effort,
    // A summary can only be shown if the model thinks.
    thinking: thinking.thinking ?? (showsSummary ? SHOWN_THINKING : undefined),
    stopSequences: [],
  };
  const showsEncryptedThinking = includedThinking(body.include ?? [], ignored);
  return { request, ignored: ignored.names, toolSet, showsSummary, showsEncryptedThinking };
}

/** What the parts of a request are collected in. */
interface Collected {
  readonly ignored: IgnoredParameters;
  readonly files: UrlFiles | undefined;
}

function addItem(
  builder: ConversationBuilder,
  item: ResponseItem,
  path: string,
  toolSet: ToolSet,
  collected: Collected,
): void {
  switch (item.type) {
    case "message":
      addMessage(builder, item, path, collected);
      break;
    case "function_call": {
      const input = parseArguments(item.arguments, `${path}.arguments`);
      builder.addToolCall({ id: item.call_id, name: toolSet.modelName(item), input }, path);
      break;
    }
    case "custom_tool_call": {
      const input = customInput(item.input);
      builder.addToolCall({ id: item.call_id, name: toolSet.modelName(item), input }, path);
      break;
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const { output } = item;
      const content =
        typeof output === "string"
          ? output
          : output.map((part, i) => partBlock(part, `${path}.output[${i}]`, collected));
      builder.addToolResult(item.call_id, content, path);
      break;
    }
    case "reasoning": {
      const block = decodeThinking(item.encrypted_content ?? "");
      if (block === undefined) {
        collected.ignored.add(path, "reasoning without encrypted_content of this gateway");
      } else builder.addAssistant([block], path);
      break;
    }
  }
}

function addMessage(
  builder: ConversationBuilder,
  { role, content }: MessageItem,
  path: string,
  collected: Collected,
): void {
  if (role === "user") {
    const blocks = partsOf(content).map((part, i) =>
      partBlock(part, `${path}.content[${i}]`, collected),
    );
    builder.addUser(blocks, path);
    return;
  }
  const text = partsOf(content)
    .map((part, i) => textOf(part, `${path}.content[${i}]`))
    .join("");
  if (role === "assistant") builder.addAssistant([{ type: "text", text }], path);
  else builder.addSystem(text, path);
}

function partsOf(content: string | readonly MessagePart[]): readonly MessagePart[] {
  return typeof content === "string" ? [{ type: "input_text", text: content }] : content;
}

function partBlock(
  part: InputPart | MessagePart,
  path: string,
  { ignored, files }: Collected,
): ContentBlock {
  switch (part.type) {
    case "input_image": {
      const { image_url: url, detail } = part;
      if (typeof detail === "string" && detail !== "auto") ignored.add(`${path}.detail`);
      if (typeof url === "string") return imageBlock(url, `${path}.image_url`, files);
      throw refusal(
        path,
        "the gateway stores no files. Pass the image as a data: URL in `image_url`.",
      );
    }
    case "input_file":
      if (typeof part.file_url === "string") {
        if (files !== undefined) return fileBlockOfUrl(part.file_url, part.filename, path, files);
        throw refusal(
          `${path}.file_url`,
          "the gateway does not fetch URLs unless `fetchUrls` is set in its configuration. Pass the contents as a data: URL in `file_data`.",
        );
      }
      return fileBlock(part, path);
    default:
      return { type: "text", text: textOf(part, path) };
  }
}

function textOf(part: MessagePart, path: string): string {
  switch (part.type) {
    case "input_text":
    case "output_text":
    case "text":
      return part.text;
    case "refusal":
      return part.refusal;
    case "input_audio":
      throw refusal(path, "the model does not take audio. Send a text.");
    default:
      throw refusal(path, "only messages of the user can hold images and files.");
  }
}

function toolInputs(
  tools: readonly ResponsesTool[],
  hostedTools: HostedTools,
  ignored: IgnoredParameters,
): readonly ToolInput[] {
  return tools.flatMap((tool, i) => {
    const path = `tools[${i}]`;
    if (isHostedTool(tool)) {
      leaveOutHostedTool(hostedTools, tool.type, path, ignored);
      return [];
    }
    if (tool.type !== "namespace") return [toolInput(tool, path, ignored)];
    return tool.tools.map((inner, j) => toolInput(inner, `${path}.tools[${j}]`, ignored, tool));
  });
}

function toolInput(
  tool: ClientResponsesTool,
  path: string,
  ignored: IgnoredParameters,
  namespace?: ToolNamespace,
): ToolInput {
  // The model sees all tools at once, because the gateway has no search for tools.
  if (tool.defer_loading === true) ignored.add(`${path}.defer_loading`);
  if (tool.type === "function") {
    const { name, description, parameters, strict } = tool;
    return { kind: "function", name, namespace, description, parameters, strict, path };
  }
  const { name, description, format } = tool;
  return { kind: "custom", name, namespace, description, format, path };
}

function toolSelection(
  choice: ResponsesToolChoice | null | undefined,
  toolSet: ToolSet,
): ToolSelection {
  if (typeof choice === "object" && choice !== null && choice.type === "allowed_tools") {
    const allowed = toolSet.only(choice.tools, "tool_choice.tools");
    return selectTools(allowed, choice.mode, "tool_choice");
  }
  return selectTools(toolSet.tools, toolChoice(choice, toolSet), "tool_choice");
}

function toolChoice(
  choice: "none" | "auto" | "required" | ResponsesNamedTool | null | undefined,
  toolSet: ToolSet,
): ToolChoice {
  if (choice === undefined || choice === null) return "auto";
  return typeof choice === "string" ? choice : toolSet.named(choice, "tool_choice.name");
}

function textFormat(
  config: ResponsesTextConfig | null | undefined,
  ignored: IgnoredParameters,
): Pick<ModelRequest, "schema" | "wantsJson"> {
  const { format, verbosity, ...others } = config ?? {};
  for (const name of Object.keys(others)) ignored.add(`text.${name}`);
  if (typeof verbosity === "string" && verbosity !== "medium") ignored.add("text.verbosity");
  if (format?.type === "json_object") return { schema: undefined, wantsJson: true };
  if (format?.type !== "json_schema") return { schema: undefined, wantsJson: false };
  if (typeof format.description === "string") ignored.add("text.format.description");
  return { schema: format.schema as JsonSchema, wantsJson: false };
}

function summaryWanted(
  reasoning: Readonly<Record<string, unknown>>,
  ignored: IgnoredParameters,
): boolean {
  const { summary, generate_summary, ...others } = reasoning;
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined && value !== null) ignored.add(`reasoning.${name}`);
  }
  const wanted = summary ?? generate_summary;
  if (typeof wanted !== "string") return false;
  // The CLI gives one kind of summary.
  if (wanted !== "auto") ignored.add("reasoning.summary", "counts as auto");
  return true;
}

function includedThinking(include: readonly string[], ignored: IgnoredParameters): boolean {
  for (const [i, name] of include.entries()) {
    if (name === "message.output_text.logprobs") {
      throw refusal(`include[${i}]`, "the CLI gives no log probabilities. Leave it out.");
    }
    if (name !== "reasoning.encrypted_content") ignored.add("include", name);
  }
  return include.includes("reasoning.encrypted_content");
}

function refusal(path: string, text: string): RequestError {
  return new RequestError("invalid_request", `\`${path}\`: ${text}`, { param: path });
}
