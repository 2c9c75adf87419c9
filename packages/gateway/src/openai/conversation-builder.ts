import type { ContentBlock, HistoryMessage, ToolResultBlock } from "hawser";
import type { IgnoredParameters } from "../body/ignored-parameters.js";
import { RequestError } from "../errors/request-error.js";

/**
 * Builds a conversation of the Messages API from messages in the order of the client. Messages of one role that
 * follow each other become one message, and tool results stand before the other blocks of their message, because the
 * API asks for that.
 *
 * A system message at the beginning belongs to the system prompt. The CLI takes no system messages later in a
 * conversation, so a later one becomes a text of the user, in its place and marked as a system message.
 */
export class ConversationBuilder {
  readonly #ignored: IgnoredParameters;
  readonly #system: string[] = [];
  readonly #turns: Turn[] = [];
  readonly #calls = new Map<string, string>();

  constructor(ignored: IgnoredParameters) {
    this.#ignored = ignored;
  }

  addSystem(text: string, path: string): void {
    if (text.trim() === "") return;
    if (this.#turns.length === 0) {
      this.#system.push(text);
      return;
    }
    this.#ignored.add(`${path}.role`, "system message sent as text of the user");
    this.#turn("user", path).blocks.push(systemText(text));
  }

  addUser(blocks: readonly ContentBlock[], path: string): void {
    this.#add("user", blocks, path);
  }

  addAssistant(blocks: readonly ContentBlock[], path: string): void {
    this.#add("assistant", blocks, path);
  }

  addToolCall(
    call: { readonly id: string; readonly name: string; readonly input: unknown },
    path: string,
  ): void {
    if (this.#calls.has(call.id)) {
      throw refusal(
        path,
        `the id "${call.id}" is that of an earlier tool call. Give each call the id that the model gave it.`,
      );
    }
    this.#calls.set(call.id, path);
    const turn = this.#turn("assistant", path);
    turn.blocks.push({ type: "tool_use", ...call });
    turn.open.set(call.id, path);
  }

  addToolResult(id: string, content: ToolResultBlock["content"], path: string): void {
    const calls = this.#openCalls();
    if (calls?.delete(id) !== true) {
      const rule = this.#calls.has(id)
        ? "must follow the message of its tool call, once"
        : "answers no tool call of this conversation";
      throw refusal(
        path,
        `the result for "${id}" ${rule}. Send the assistant's tool calls, and then one result for each.`,
      );
    }
    const { blocks } = this.#turn("user", path);
    const results = blocks.filter(({ type }) => type === "tool_result").length;
    const block = {
      type: "tool_result",
      tool_use_id: id,
      ...(content === undefined ? {} : { content }),
    } as const;
    blocks.splice(results, 0, block);
  }

  /** The conversation. Throws if the model has nothing to answer, or if a tool call has no result. */
  build(path: string): {
    readonly system: string | undefined;
    readonly messages: readonly HistoryMessage[];
  } {
    const turns = this.#turns.filter((turn) => !isThinkingOnly(turn));
    for (const { open } of turns) {
      for (const [id, at] of open) {
        throw refusal(
          at,
          `the tool call "${id}" has no result. Send a result for each tool call, directly after the calls.`,
        );
      }
    }
    if (turns.at(-1)?.role === "assistant") {
      const text =
        "the last message is the assistant's, and the CLI cannot continue it. End with a message of the user or a tool result.";
      throw refusal(turns.at(-1)?.path ?? path, text);
    }
    if (turns.length === 0) return this.#systemOnly(path);
    const messages = turns.map(({ role, blocks }) => ({ role, content: blocks }));
    if (turns[0]?.role === "assistant") {
      // The Messages API wants a message of the user first, and OpenAI's API does not.
      this.#ignored.add(turns[0].path, 'preceded by the text "(start)" of the user');
      messages.unshift({ role: "user", content: [{ type: "text", text: "(start)" }] });
    }
    return { system: this.#systemPrompt(this.#system), messages };
  }

  /** Without any other message, the last system message is what the model answers. */
  #systemOnly(path: string): ReturnType<ConversationBuilder["build"]> {
    const last = this.#system.at(-1);
    if (last === undefined) {
      throw refusal(
        path,
        "there is nothing to answer. Send a message of the user with a text, an image or a file.",
      );
    }
    this.#ignored.add(`${path}[].role`, "system message sent as text of the user");
    const messages = [{ role: "user", content: [{ type: "text", text: last }] }] as const;
    return { system: this.#systemPrompt(this.#system.slice(0, -1)), messages };
  }

  #systemPrompt(parts: readonly string[]): string | undefined {
    return parts.length === 0 ? undefined : parts.join("\n\n");
  }

  #add(role: Turn["role"], blocks: readonly ContentBlock[], path: string): void {
    const visible = blocks.filter(
      (block) => block.type !== "text" || String(block.text).trim() !== "",
    );
    if (visible.length === 0) this.#ignored.add(path, "empty");
    else this.#turn(role, path).blocks.push(...visible);
  }

  #turn(role: Turn["role"], path: string): Turn {
    const last = this.#turns.at(-1);
    if (last?.role === role) return last;
    const turn: Turn = { role, blocks: [], open: new Map(), path };
    this.#turns.push(turn);
    return turn;
  }

  /** The unanswered calls of the last message of the assistant. */
  #openCalls(): Map<string, string> | undefined {
    const last = this.#turns.at(-1);
    return last?.role === "user" ? this.#turns.at(-2)?.open : last?.open;
  }
}

/** A message in the making. */
interface Turn {
  readonly role: "user" | "assistant";
  readonly blocks: ContentBlock[];
  /** The ids of tool calls without a result, with their paths. */
  readonly open: Map<string, string>;
  readonly path: string;
}

function systemText(text: string): ContentBlock {
  return { type: "text", text: `<system_message>\n${text}\n</system_message>` };
}

/** The CLI drops a message that holds nothing but thinking. */
function isThinkingOnly({ blocks }: Turn): boolean {
  return blocks.every(({ type }) => type === "thinking" || type === "redacted_thinking");
}

function refusal(path: string, text: string): RequestError {
  return new RequestError("invalid_request", `\`${path}\`: ${text}`, { param: path });
}
