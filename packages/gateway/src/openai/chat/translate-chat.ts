import type { ContentBlock, JsonSchema, ToolChoice } from "hawser";
import type { ModelRequest } from "hawser/answer";
import type { TranslatedRequest } from "../../answer/translated-request.js";
import { type HostedTools, leaveOutHostedTool } from "../../body/hosted-tools.js";
import { IgnoredParameters } from "../../body/ignored-parameters.js";
import { applyParameterTable } from "../../body/parameters.js";
import { RequestError } from "../../errors/request-error.js";
import type { UrlFiles } from "../../http/url-files.js";
import { ConversationBuilder } from "../conversation-builder.js";
import { fileBlock, imageBlock } from "../media-blocks.js";
import { parseArguments } from "../parse-arguments.js";
import { reasoningEffort } from "../reasoning-effort.js";
import {
  customInput,
  selectTools,
  type ToolInput,
  type ToolSelection,
  ToolSet,
} from "../tool-set.js";
import type {
  ChatAssistantMessage,
  ChatBody,
  ChatMessage,
  ChatNamedTool,
  ChatTool,
  ChatToolChoice,
  ChatUserPart,
} from "./chat-body.js";
import { CHAT_PARAMETERS } from "./chat-parameters.js";

/** A translated request of `POST /v1/chat/completions`, with what its answer has to look like. */
export interface TranslatedChat extends TranslatedRequest {
  readonly isStreamed: boolean;
  /** Whether the stream ends with a chunk that has the usage. */
  readonly includesUsage: boolean;
  readonly toolSet: ToolSet;
}

/** Translates a request. Without `files`, which takes the files that are named by URL, URLs are refused. */
export function translateChat(
  body: ChatBody,
  hostedTools: HostedTools = "refuse",
  files?: UrlFiles,
): TranslatedChat {
  const ignored = new IgnoredParameters();
  applyParameterTable(body, CHAT_PARAMETERS, ignored);
  const search = body["web_search_options"];
  if (search !== undefined && search !== null) {
    leaveOutHostedTool(hostedTools, "web_search", "web_search_options", ignored);
  }
  const toolSet = new ToolSet((body.tools ?? []).map(toolInput), ignored);
  const { system, messages } = conversation(body.messages, { ignored, files });
  const request: ModelRequest = {
    model: body.model,
    system,
    messages,
    ...toolSelection(body.tool_choice, toolSet),
    allowsParallelCalls: body.parallel_tool_calls !== false,
    ...responseFormat(body.response_format, ignored),
    ...reasoningEffort(body.reasoning_effort, "reasoning_effort", ignored),
    stopSequences: typeof body.stop === "string" ? [body.stop] : (body.stop ?? []),
  };
  const isStreamed = body.stream === true;
  const { include_usage, include_obfuscation } = body.stream_options ?? {};
  if (include_obfuscation === true) ignored.add("stream_options.include_obfuscation");
  if (!isStreamed && include_usage === true) ignored.add("stream_options.include_usage");
  const includesUsage = isStreamed && include_usage === true;
  return { request, ignored: ignored.names, isStreamed, includesUsage, toolSet };
}

/** What the parts of a request are collected in. */
interface Collected {
  readonly ignored: IgnoredParameters;
  readonly files: UrlFiles | undefined;
}

function conversation(
  messages: readonly ChatMessage[],
  collected: Collected,
): ReturnType<ConversationBuilder["build"]> {
  const builder = new ConversationBuilder(collected.ignored);
  for (const [i, message] of messages.entries()) {
    addMessage(builder, message, `messages[${i}]`, collected);
  }
  return builder.build("messages");
}

function addMessage(
  builder: ConversationBuilder,
  message: ChatMessage,
  path: string,
  collected: Collected,
): void {
  const { ignored } = collected;
  if ("name" in message && typeof message.name === "string") ignored.add(`${path}.name`);
  switch (message.role) {
    case "system":
    case "developer":
      builder.addSystem(textOf(message.content), path);
      break;
    case "user":
      builder.addUser(userBlocks(message.content, path, collected), path);
      break;
    case "tool":
      builder.addToolResult(
        message.tool_call_id,
        toolContent(message.content, path, collected),
        path,
      );
      break;
    case "assistant":
      addAssistant(builder, message, path, ignored);
      break;
    case "function": {
      const text = `\`${path}.role\`: messages of the role function are deprecated. Use the role tool, with \`tool_call_id\`.`;
      throw new RequestError("invalid_request", text, { param: `${path}.role` });
    }
  }
}

function addAssistant(
  builder: ConversationBuilder,
  message: ChatAssistantMessage,
  path: string,
  ignored: IgnoredParameters,
): void {
  if (message.function_call !== undefined && message.function_call !== null) {
    const text = `\`${path}.function_call\`: this field is deprecated. Use \`tool_calls\`.`;
    throw new RequestError("invalid_request", text, { param: `${path}.function_call` });
  }
  for (const field of ["audio", "reasoning", "reasoning_content", "reasoning_details"]) {
    // Thinking without its signature cannot be given back to the model.
    if (message[field] !== undefined && message[field] !== null) ignored.add(`${path}.${field}`);
  }
  const calls = message.tool_calls ?? [];
  const text = textOf(message.content ?? message.refusal ?? "");
  if (calls.length === 0 || text !== "") builder.addAssistant([{ type: "text", text }], path);
  for (const [i, call] of calls.entries()) {
    const at = `${path}.tool_calls[${i}]`;
    if (call.type === "custom") {
      const { name, input } = call.custom;
      builder.addToolCall({ id: call.id, name, input: customInput(input) }, at);
    } else {
      const { name, arguments: json } = call.function;
      builder.addToolCall(
        { id: call.id, name, input: parseArguments(json, `${at}.function.arguments`) },
        at,
      );
    }
  }
}

function userBlocks(
  content: string | readonly ChatUserPart[],
  path: string,
  collected: Collected,
): readonly ContentBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((part, i) => userBlock(part, `${path}.content[${i}]`, collected));
}

function userBlock(part: ChatUserPart, path: string, collected: Collected): ContentBlock {
  const { ignored, files } = collected;
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image_url": {
      const { url, detail } = part.image_url;
      if (typeof detail === "string" && detail !== "auto") ignored.add(`${path}.image_url.detail`);
      return imageBlock(url, `${path}.image_url.url`, files);
    }
    case "file":
      return fileBlock(part.file, `${path}.file`);
    case "input_audio": {
      const text = `\`${path}\`: the model does not take audio. Send a text.`;
      throw new RequestError("invalid_request", text, { param: path });
    }
  }
}

function toolContent(
  content: string | readonly ChatUserPart[],
  path: string,
  collected: Collected,
): string | readonly ContentBlock[] {
  return typeof content === "string" ? content : userBlocks(content, path, collected);
}

function textOf(
  content:
    | string
    | readonly { readonly type: string; readonly text?: unknown; readonly refusal?: unknown }[],
): string {
  if (typeof content === "string") return content;
  return content.map((part) => String(part.text ?? part.refusal ?? "")).join("");
}

function toolInput(tool: ChatTool, i: number): ToolInput {
  if (tool.type === "function") {
    const { name, description, parameters, strict } = tool.function;
    return {
      kind: "function",
      name,
      description,
      parameters,
      strict,
      path: `tools[${i}].function`,
    };
  }
  const { name, description, format } = tool.custom;
  const flat =
    format?.type === "grammar" ? ({ type: "grammar", ...format.grammar } as const) : undefined;
  return { kind: "custom", name, description, format: flat, path: `tools[${i}].custom` };
}

function toolSelection(choice: ChatBody["tool_choice"], toolSet: ToolSet): ToolSelection {
  if (typeof choice === "object" && choice !== null && choice.type === "allowed_tools") {
    const { mode, tools } = choice.allowed_tools;
    const path = "tool_choice.allowed_tools.tools";
    return selectTools(toolSet.only(tools.map(namedTool), path), mode, path);
  }
  return selectTools(toolSet.tools, toolChoice(choice, toolSet), "tool_choice");
}

function toolChoice(
  choice: Exclude<ChatToolChoice, { type: "allowed_tools" }> | null | undefined,
  toolSet: ToolSet,
): ToolChoice {
  if (choice === undefined || choice === null) return "auto";
  if (typeof choice === "string") return choice;
  return toolSet.named(namedTool(choice), `tool_choice.${choice.type}.name`);
}

function namedTool(choice: ChatNamedTool): { readonly name: string } {
  return choice.type === "function" ? choice.function : choice.custom;
}

function responseFormat(
  format: ChatBody["response_format"],
  ignored: IgnoredParameters,
): Pick<ModelRequest, "schema" | "wantsJson"> {
  if (format?.type === "json_object") return { schema: undefined, wantsJson: true };
  if (format?.type !== "json_schema") return { schema: undefined, wantsJson: false };
  const { schema, description } = format.json_schema;
  if (typeof description === "string") ignored.add("response_format.json_schema.description");
  if (schema === undefined || schema === null) return { schema: undefined, wantsJson: true };
  return { schema: schema as JsonSchema, wantsJson: false };
}
