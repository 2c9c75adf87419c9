import { InvalidPromptError, type LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ContentBlock, HistoryMessage } from "hawser";
import type { CallWarnings } from "../call-warnings.js";
import type { ToolResultContent } from "./tool-result-content.js";

/**
 * Builds a conversation of the Messages API from parts in the order of the AI SDK. Parts of one role that follow
 * each other become one message. The result of a tool call stands in the message directly after the call, before
 * the other blocks of that message, because the API asks for that.
 */
export class ConversationBuilder {
  readonly #prompt: LanguageModelV4Prompt;
  readonly #warnings: CallWarnings;
  readonly #system: string[] = [];
  readonly #turns: Turn[] = [];
  /** The turn of each tool call, by the id as it was given. */
  readonly #callTurns = new Map<string, Turn>();
  /** The ids that the API takes, by the ids as they were given. */
  readonly #ids = new Map<string, string>();

  constructor(prompt: LanguageModelV4Prompt, warnings: CallWarnings) {
    this.#prompt = prompt;
    this.#warnings = warnings;
  }

  /** The CLI takes a system message only at the beginning. A later one becomes a marked text of the user. */
  addSystem(text: string): void {
    if (text.trim() === "") return;
    if (this.#turns.length === 0) {
      this.#system.push(text);
      return;
    }
    this.#warnings.compatibility(
      "system message after the first message",
      "The message was sent as a text of the user, marked as a system message.",
    );
    const marked = `<system_message>\n${text}\n</system_message>`;
    this.#turn("user").blocks.push({ type: "text", text: marked });
  }

  addUser(blocks: readonly ContentBlock[]): void {
    const visible = blocks.filter((block) => !saysNothing(block));
    if (visible.length > 0) this.#turn("user").blocks.push(...visible);
  }

  addAssistant(block: ContentBlock): void {
    if (!saysNothing(block)) this.#turn("assistant").blocks.push(block);
  }

  hasToolCall(id: string): boolean {
    return this.#callTurns.has(id);
  }

  addToolCall({ id, name, input }: ToolCallInput): void {
    if (this.#callTurns.has(id)) throw this.#invalid(`two tool calls have the id "${id}"`);
    const turn = this.#turn("assistant");
    this.#callTurns.set(id, turn);
    turn.open.add(id);
    turn.blocks.push({ type: "tool_use", id: this.#apiId(id), name, input: inputObject(input) });
  }

  addToolResult(id: string, content: ToolResultContent): void {
    const turn = this.#callTurns.get(id);
    if (turn === undefined) {
      throw this.#invalid(`the tool result for "${id}" answers no tool call of the prompt`);
    }
    // A call that the user denied can have two results. The first one counts.
    if (!turn.open.delete(id)) return;
    const { blocks } = this.#turnAfter(turn);
    const results = blocks.filter(({ type }) => type === "tool_result").length;
    blocks.splice(results, 0, { type: "tool_result", tool_use_id: this.#apiId(id), ...content });
  }

  /** Throws `InvalidPromptError` if the model has nothing to answer. */
  build(): { readonly system: string | undefined; readonly messages: readonly HistoryMessage[] } {
    const turns = this.#turns.filter((turn) => !isThinkingOnly(turn));
    for (const turn of turns) this.#answerOpenCalls(turn);
    const messages: HistoryMessage[] = this.#turns
      .filter((turn) => !isThinkingOnly(turn))
      .map(({ role, blocks }) => ({ role, content: blocks }));
    if (messages.length === 0) throw this.#invalid("there is no message of the user to answer");
    if (messages.at(-1)?.role === "assistant") {
      throw this.#invalid(
        "the last message is the assistant's, and the CLI cannot continue it. End with a message of the user or a tool result",
      );
    }
    if (messages[0]?.role === "assistant") {
      const details =
        'The text "(start)" of the user was put before it, because the model expects the user first.';
      this.#warnings.compatibility("first message of the assistant", details);
      messages.unshift({ role: "user", content: [{ type: "text", text: "(start)" }] });
    }
    const system = this.#system.length === 0 ? undefined : this.#system.join("\n\n");
    return { system, messages };
  }

  /** The API refuses a call without a result. The AI SDK allows it for calls that the provider executes. */
  #answerOpenCalls(turn: Turn): void {
    for (const id of turn.open) {
      this.#warnings.compatibility(
        "tool call without a result",
        "The model was told that the tool did not run.",
      );
      this.addToolResult(id, { content: "The tool did not run.", is_error: true });
    }
  }

  #turn(role: Turn["role"]): Turn {
    const last = this.#turns.at(-1);
    if (last?.role === role) return last;
    const turn: Turn = { role, blocks: [], open: new Set() };
    this.#turns.push(turn);
    return turn;
  }

  /** The message of the user that follows directly on a message of the assistant. */
  #turnAfter(turn: Turn): Turn {
    const at = this.#turns.indexOf(turn) + 1;
    const next = this.#turns[at];
    if (next?.role === "user") return next;
    const added: Turn = { role: "user", blocks: [], open: new Set() };
    this.#turns.splice(at, 0, added);
    return added;
  }

  /** The API takes ids of letters, digits, `_` and `-` only. Other providers give other ids. */
  #apiId(id: string): string {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const taken = new Set(this.#ids.values());
    const plain = id.replaceAll(/[^a-zA-Z0-9_-]/g, "_") || "call";
    let free = plain;
    for (let number = 2; taken.has(free); number += 1) free = `${plain}_${number}`;
    this.#ids.set(id, free);
    return free;
  }

  #invalid(why: string): InvalidPromptError {
    return new InvalidPromptError({ prompt: this.#prompt, message: `${why}.` });
  }
}

interface ToolCallInput {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** A message in the making. */
interface Turn {
  readonly role: "user" | "assistant";
  readonly blocks: ContentBlock[];
  /** The ids of its tool calls that have no result yet. */
  readonly open: Set<string>;
}

/** The API refuses a text without a visible character. */
function saysNothing(block: ContentBlock): boolean {
  return block.type === "text" && String(block.text).trim() === "";
}

/** The CLI drops a message that holds nothing but thinking. */
function isThinkingOnly({ blocks }: Turn): boolean {
  return blocks.every(({ type }) => type === "thinking" || type === "redacted_thinking");
}

/** The API takes objects only. A call whose input was not valid has its text as the input. */
function inputObject(input: unknown): unknown {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  return input === undefined || input === null ? {} : { input };
}
