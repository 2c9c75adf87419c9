import { type ContentBlock, isBlock, isMessage, isSystem, type Message } from "../wire/index.js";
import { oneLine, printable, type Terminal } from "./terminal.js";
import { callLine } from "./tool-view.js";

/** Shows a turn as it goes on: the text, the tools, and what is going on in between. */
export class View {
  readonly #terminal: Terminal;
  readonly #writesText: boolean;
  /** Messages of which text came in pieces. */
  readonly #streamed = new Set<string>();
  #message = "";
  #hasText = false;

  /** Whoever is not to see the text as it comes gets only what is beside it. */
  constructor(terminal: Terminal, { writesText }: { readonly writesText: boolean }) {
    this.#terminal = terminal;
    this.#writesText = writesText;
  }

  receive(message: Message): void {
    if (isMessage(message, "stream_event")) {
      if (message.parent_tool_use_id === null) this.#event(message.event as Event);
    } else if (isMessage(message, "assistant")) {
      const isSub = message.parent_tool_use_id !== null;
      // What an API failure dresses as a reply is told as the failure that it is.
      if (message.error !== undefined) return;
      for (const block of message.message.content) this.#block(block, message.message.id, isSub);
    } else if (isMessage(message, "user")) {
      const { content } = message.message;
      if (typeof content !== "string") for (const block of content) this.#result(block);
    } else if (isSystem(message, "api_retry")) {
      const { attempt, max_retries, retry_delay_ms, error_status } = message;
      const why =
        error_status === null ? "there was no answer" : `the API refused (${error_status})`;
      const wait = Math.ceil(retry_delay_ms / 1000);
      this.#terminal.status(`${why}; try ${attempt} of ${max_retries} in ${wait} s`);
    } else if (isMessage(message, "hawser") || isSystem(message, "init")) {
      this.#terminal.status("thinking");
    }
  }

  /** The turn is over. */
  end(): void {
    this.#terminal.status(undefined);
    this.#terminal.endLine();
    this.#hasText = false;
  }

  #event(event: Event): void {
    if (event.type === "message_start") {
      this.#message = event.message?.id ?? "";
    }
    if (event.type !== "content_block_delta") return;
    const { delta = {} } = event;
    if (delta.type === "thinking_delta") this.#terminal.status("thinking");
    if (delta.type === "input_json_delta") this.#terminal.status("preparing a tool");
    if (delta.type !== "text_delta" || !delta.text) return;
    const isFirst = !this.#streamed.has(this.#message);
    this.#streamed.add(this.#message);
    this.#text(delta.text, isFirst);
  }

  #block(block: ContentBlock, id: string, isSub: boolean): void {
    if (isBlock(block, "text") && !isSub && !this.#streamed.has(id)) {
      this.#text(String(block.text), true);
    }
    if (!isBlock(block, "tool_use")) return;
    const { name, input } = block;
    const { style, width } = this.#terminal;
    const line = callLine(name, input, width - 6);
    this.#terminal.note(`${isSub ? "    " : ""}${style.cyan("●")} ${line}`);
    this.#terminal.status(oneLine(line, width - 6));
  }

  #result(block: ContentBlock): void {
    if (!isBlock(block, "tool_result")) return;
    const { content, is_error } = block;
    const text = printable(textOf(content)).trim();
    const { style, width } = this.#terminal;
    const [first = ""] = text.split("\n");
    const more = text.split("\n").length - 1;
    const about = first === "" ? "(nothing)" : oneLine(first, width - 24);
    const line = `  ⎿ ${about}${more > 0 ? ` … ${more} more ${more === 1 ? "line" : "lines"}` : ""}`;
    this.#terminal.note(is_error === true ? style.red(line) : style.dim(line));
    this.#terminal.status("thinking");
  }

  #text(text: string, isFirst: boolean): void {
    if (!this.#writesText) return;
    this.#terminal.status(undefined);
    if (isFirst && this.#hasText) this.#terminal.writeLine();
    this.#hasText = true;
    this.#terminal.write(text);
  }
}

/** As it is read here: whatever it is, nothing in it is taken for granted. */
interface Event {
  readonly type: string;
  readonly message?: { readonly id?: string };
  readonly delta?: { readonly type?: string; readonly text?: string };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((each) => (typeof each?.text === "string" ? each.text : "")).join("\n");
}
