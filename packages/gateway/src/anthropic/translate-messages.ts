import type { ClientTool, ContentBlock, HistoryMessage, ToolChoice } from "hawser";
import { type ModelRequest, shownName } from "hawser/answer";
import type { TranslatedRequest } from "../answer/translated-request.js";
import { type HostedTools, leaveOutHostedTool } from "../body/hosted-tools.js";
import { IgnoredParameters } from "../body/ignored-parameters.js";
import { applyParameterTable } from "../body/parameters.js";
import { parseBody } from "../body/parse-body.js";
import { RequestError } from "../errors/request-error.js";
import type { UrlFiles } from "../http/url-files.js";
import {
  type BodyMessage,
  type BodyTool,
  type MessagesBody,
  messagesBody,
} from "./messages-body.js";
import { MESSAGES_PARAMETERS } from "./messages-parameters.js";

export interface TranslateMessagesOptions {
  /** Takes the files that are named by URL. Without it, URLs are refused. */
  readonly files?: UrlFiles | undefined;
  readonly hostedTools: HostedTools;
}

/** Translates the body of `POST /v1/messages`. Throws `invalid_request` with the path of the parameter. */
export function translateMessages(
  body: unknown,
  { files, hostedTools }: TranslateMessagesOptions,
): TranslatedRequest & { readonly isStreamed: boolean } {
  const parsed = parseBody(messagesBody, body);
  refuseThread(parsed["thread"]);
  const ignored = new IgnoredParameters();
  applyParameterTable(parsed, MESSAGES_PARAMETERS, ignored);
  const { tools: givenTools, tool_choice: choice, output_config: output, thinking } = parsed;
  const tools = (givenTools ?? []).flatMap((tool, i) =>
    clientTools(tool, `tools[${i}]`, hostedTools, ignored),
  );
  refuseSameNames(tools);
  nameUnknown(output, ["format", "effort"], "output_config", ignored);
  const { system, messages } = conversationOf(parsed, ignored, files);
  const request: ModelRequest = {
    model: parsed.model,
    system,
    messages,
    tools,
    toolChoice: toolChoiceOf(choice, tools),
    allowsParallelCalls: !(choice && "disable_parallel_tool_use" in choice
      ? choice.disable_parallel_tool_use
      : false),
    schema: (output?.format ?? parsed.output_format)?.schema,
    wantsJson: false,
    effort: output?.effort ?? undefined,
    thinking: thinkingOf(thinking),
    stopSequences: parsed.stop_sequences ?? [],
  };
  return { request, ignored: ignored.names, isStreamed: parsed.stream === true };
}

/**
 * A thread is a conversation that the server keeps. The tool runner of `@anthropic-ai/sdk` asks for one, and sends
 * all messages in each request after it has seen this error code.
 */
function refuseThread(thread: unknown): void {
  if (thread === undefined || thread === null) return;
  const message =
    "`thread`: the gateway keeps no conversations. Leave it out, and send all messages in each request.";
  const details = { error_code: "thread_unsupported_request", unsupported: ["thread"] };
  throw new RequestError("invalid_request", message, { param: "thread", details });
}

/** No tool if it is a hosted one that is left out. */
function clientTools(
  tool: BodyTool,
  path: string,
  hostedTools: HostedTools,
  ignored: IgnoredParameters,
): readonly ClientTool[] {
  const { type, name, description, input_schema: inputSchema } = tool;
  if (type !== undefined && type !== null && type !== "custom") {
    if (!HOSTED_TYPE.test(type)) {
      const message = `\`${path}.type\`: ${JSON.stringify(type)} is no type of tool. Leave the type out, and define the tool with an \`input_schema\`.`;
      throw new RequestError("invalid_request", message, { param: `${path}.type` });
    }
    leaveOutHostedTool(hostedTools, type, path, ignored);
    return [];
  }
  if (inputSchema === undefined) {
    const param = `${path}.input_schema`;
    throw new RequestError("invalid_request", `\`${param}\`: is missing.`, { param });
  }
  nameUnknown(tool, ["type", "name", "description", "input_schema"], path, ignored);
  const shown = shownName(name);
  if (shown !== name) ignored.add(`${path}.name`, `the model sees ${name} as ${shown}`);
  return [{ name, description: description ?? "", inputSchema }];
}

/** Tools that Anthropic runs or defines have the date of their version at the end, such as `web_search_20250305`. */
const HOSTED_TYPE = /_\d{8}$|^tool_search_tool_(?:regex|bm25)$/;

function refuseSameNames(tools: readonly ClientTool[]): void {
  for (const [i, { name }] of tools.entries()) {
    if (tools.findIndex((other) => other.name === name) === i) continue;
    const param = `tools[${i}].name`;
    const message = `\`${param}\`: there is another tool with this name. Names of tools must be unique.`;
    throw new RequestError("invalid_request", message, { param });
  }
}

function toolChoiceOf(
  choice: MessagesBody["tool_choice"],
  tools: readonly ClientTool[],
): ToolChoice {
  if (choice === undefined || choice === null || choice.type === "auto") return "auto";
  if (choice.type === "none") return "none";
  if (choice.type === "any") {
    if (tools.length > 0) return "required";
  } else if (tools.some(({ name }) => name === choice.name)) return { tool: choice.name };
  const message =
    choice.type === "any"
      ? "`tool_choice`: there are no tools. Pass `tools`, or leave `tool_choice` out."
      : `\`tool_choice.name\`: there is no tool ${JSON.stringify(choice.name)} in \`tools\`.`;
  const param = choice.type === "any" ? "tool_choice" : "tool_choice.name";
  throw new RequestError("invalid_request", message, { param });
}

function thinkingOf(thinking: MessagesBody["thinking"]): ModelRequest["thinking"] {
  if (thinking === undefined || thinking === null) return undefined;
  if (thinking.type === "disabled") return { type: "disabled" };
  const display = thinking.display === undefined ? {} : { display: thinking.display };
  return thinking.type === "enabled"
    ? { type: "enabled", budgetTokens: thinking.budget_tokens, ...display }
    : { type: "adaptive", ...display };
}

/** The system prompt and the messages. A system message inside of the conversation becomes a part of a user message. */
function conversationOf(
  { system, messages }: MessagesBody,
  ignored: IgnoredParameters,
  files: UrlFiles | undefined,
): { readonly system: string | undefined; readonly messages: readonly HistoryMessage[] } {
  const instructions =
    system === undefined || system === null ? [] : [textOf(system, "system", ignored)];
  const history: { role: "user" | "assistant"; content: ContentBlock[] }[] = [];
  let reminders: ContentBlock[] = [];
  for (const [i, message] of messages.entries()) {
    const path = `messages[${i}]`;
    nameUnknown(message, ["role", "content"], path, ignored);
    if (message.role === "system") {
      const text = textOf(message.content, `${path}.content`, ignored);
      const last = history.at(-1);
      if (text === "") continue;
      if (last === undefined) instructions.push(text);
      else (last.role === "user" ? last.content : reminders).push(reminder(text));
      if (last !== undefined)
        ignored.add(`${path}.role`, "system sent as a part of a user message");
      continue;
    }
    const content = blocksOf(message, path, ignored, files);
    if (message.role === "user") content.push(...reminders.splice(0));
    history.push({ role: message.role, content });
  }
  if (reminders.length > 0) history.push({ role: "user", content: reminders });
  reminders = [];
  refusePrefill(history);
  const prompt = instructions.length === 0 ? undefined : instructions.join("\n\n");
  return { system: prompt, messages: history };
}

function reminder(text: string): ContentBlock {
  return { type: "text", text: `<system-reminder>\n${text}\n</system-reminder>` };
}

function textOf(
  content: string | readonly { readonly text: string; readonly [field: string]: unknown }[],
  path: string,
  ignored: IgnoredParameters,
): string {
  if (typeof content === "string") return content;
  for (const [i, block] of content.entries()) {
    nameUnknown(block, ["type", "text"], `${path}[${i}]`, ignored);
  }
  return content
    .map(({ text }) => text)
    .filter((text) => text !== "")
    .join("\n\n");
}

function refusePrefill(history: readonly { readonly role: string }[]): void {
  if (history.at(-1)?.role !== "assistant") return;
  const param = `messages`;
  const message =
    "`messages`: the last message is of the assistant. The CLI cannot continue a beginning of the answer (prefill). End with a user message.";
  throw new RequestError("invalid_request", message, { param });
}

function blocksOf(
  { content }: Exclude<BodyMessage, { role: "system" }>,
  path: string,
  ignored: IgnoredParameters,
  files: UrlFiles | undefined,
): ContentBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return cleanBlocks(content, `${path}.content`, ignored, files);
}

type AnyBlock = { readonly type: string; readonly [field: string]: unknown };

/** The fields of each kind of block that are passed on. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["type", "text"],
  image: ["type", "source"],
  document: ["type", "source", "title", "context"],
  tool_result: ["type", "tool_use_id", "content", "is_error"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
  tool_use: ["type", "id", "name", "input"],
};

function cleanBlocks(
  blocks: readonly AnyBlock[],
  path: string,
  ignored: IgnoredParameters,
  files: UrlFiles | undefined,
): ContentBlock[] {
  return blocks.map((block, i) => cleanBlock(block, `${path}[${i}]`, ignored, files));
}

/** A block without the fields that have no effect, and with what will be fetched in place of URLs. */
function cleanBlock(
  block: AnyBlock,
  path: string,
  ignored: IgnoredParameters,
  files: UrlFiles | undefined,
): ContentBlock {
  if (block.type === "tool_reference") {
    // `tools` has the definition of the tool, and the model sees all of them.
    ignored.add(`${path}.type`, "tool_reference sent as text");
    return {
      type: "text",
      text: `The tool ${shownName(String(block["tool_name"]))} is available.`,
    };
  }
  const fields = FIELDS[block.type] ?? [];
  nameUnknown(block, fields, path, ignored);
  const kept = Object.entries(block).filter(
    ([name, value]) => fields.includes(name) && value !== null && value !== undefined,
  );
  const clean: Record<string, unknown> = Object.fromEntries(kept);
  if (block.type === "tool_result" && Array.isArray(block["content"])) {
    const inner = block["content"] as readonly AnyBlock[];
    clean["content"] = cleanBlocks(inner, `${path}.content`, ignored, files);
  }
  if (block.type === "image" || block.type === "document") {
    const source = block["source"] as AnyBlock;
    clean["source"] = cleanSource(block.type, source, `${path}.source`, ignored, files);
  }
  return clean as unknown as ContentBlock;
}

function cleanSource(
  kind: "image" | "document",
  source: AnyBlock,
  path: string,
  ignored: IgnoredParameters,
  files: UrlFiles | undefined,
): unknown {
  const refuse = (message: string): never => {
    throw new RequestError("invalid_request", `\`${path}\`: ${message}`, { param: path });
  };
  if (source.type === "file") {
    return refuse("the gateway stores no files. Pass the contents as base64.");
  }
  if (source.type === "url") {
    if (files === undefined) {
      return refuse(
        "the gateway does not fetch URLs unless `fetchUrls` is set in its configuration. Pass the contents as base64.",
      );
    }
    return files.source(String(source["url"]), kind, `${path}.url`);
  }
  if (source.type === "base64") {
    const { media_type, data } = source as unknown as { media_type: string; data: string };
    const types = kind === "image" ? IMAGE_TYPES : DOCUMENT_TYPES;
    if (!types.includes(media_type)) {
      return refuse(`${media_type} is not supported. Use ${types.join(", ")}.`);
    }
    if (!isBase64(data)) return refuse("the data is not valid base64.");
    return { type: "base64", media_type, data };
  }
  if (source.type === "text") {
    return { type: "text", media_type: "text/plain", data: source["data"] };
  }
  const { content } = source;
  // A document of blocks can hold images, which can name a URL too.
  if (!Array.isArray(content)) return { type: source.type, content };
  const blocks = cleanBlocks(content as readonly AnyBlock[], `${path}.content`, ignored, files);
  return { type: source.type, content: blocks };
}

const IMAGE_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const DOCUMENT_TYPES: readonly string[] = ["application/pdf"];

function isBase64(data: string): boolean {
  return data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}

/** Names the fields that have no effect. The cache marks are named once, wherever they are. */
function nameUnknown(
  value: Readonly<Record<string, unknown>> | null | undefined,
  known: readonly string[],
  path: string,
  ignored: IgnoredParameters,
): void {
  for (const [name, field] of Object.entries(value ?? {})) {
    if (known.includes(name) || field === null || field === undefined) continue;
    if (name === "cache_control") ignored.add(name);
    else if (!HARMLESS.has(name)) ignored.add(`${path}.${name}`);
  }
}

/** Fields of the model's own blocks that clients send back, and that say nothing to the model. */
const HARMLESS: ReadonlySet<string> = new Set(["caller", "parsed_output"]);
