import type { ClientTool } from "../options/index.js";
import type { HistoryMessage } from "../wire/index.js";
import type { AnswerEvent } from "./answer.js";
import type { ModelRequest } from "./model-request.js";

/**
 * The name under which the model sees a tool of the client. The CLI has tools of its own with some names, and would
 * leave out a tool of the client with such a name. Claude Code as a client has these tools.
 */
export function shownName(name: string): string {
  return TAKEN.has(name) ? `${name}_` : name;
}

const TAKEN: ReadonlySet<string> = new Set(["StructuredOutput", "ToolSearch"]);

/** A request for the CLI, and how the client's names come back into the answer. */
export interface RenamedTools {
  readonly request: ModelRequest;
  restore(events: AsyncIterable<AnswerEvent>): AsyncGenerator<AnswerEvent, undefined>;
}

/** Gives the tools of a request, and their calls in the conversation, the names that the model sees. */
export function renameTools(request: ModelRequest): RenamedTools {
  const { tools, toolChoice, messages } = request;
  const taken = tools.map(({ name }) => name).filter((name) => TAKEN.has(name));
  const shown = new Map(taken.map((name) => [name, shownName(name)]));
  const given = new Map([...shown].map(([name, other]) => [other, name]));
  if (shown.size === 0) return { request, restore: passOn };
  const rename = (name: string) => shown.get(name) ?? name;
  return {
    request: {
      ...request,
      tools: tools.map((tool): ClientTool => ({ ...tool, name: rename(tool.name) })),
      toolChoice: typeof toolChoice === "string" ? toolChoice : { tool: rename(toolChoice.tool) },
      messages: messages.map((message) => renameCalls(message, rename)),
    },
    restore: (events) => restoreNames(events, (name) => given.get(name) ?? name),
  };
}

async function* passOn(events: AsyncIterable<AnswerEvent>): AsyncGenerator<AnswerEvent, undefined> {
  yield* events;
}

async function* restoreNames(
  events: AsyncIterable<AnswerEvent>,
  rename: (name: string) => string,
): AsyncGenerator<AnswerEvent, undefined> {
  for await (const event of events) {
    yield event.type === "block_start"
      ? { ...event, block: renameCall(event.block, rename) }
      : event;
  }
}

function renameCalls(message: HistoryMessage, rename: (name: string) => string): HistoryMessage {
  const { content } = message;
  if (message.role !== "assistant" || typeof content === "string") return message;
  return { ...message, content: content.map((block) => renameCall(block, rename)) };
}

function renameCall<B extends { readonly type: string }>(
  block: B,
  rename: (name: string) => string,
): B {
  if (block.type !== "tool_use" || !("name" in block)) return block;
  return { ...block, name: rename(String(block.name)) };
}
