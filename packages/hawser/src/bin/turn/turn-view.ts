import { oneLine, printable } from "../../base/index.js";
import { callLine } from "../../options/index.js";
import { type ContentBlock, isBlock, isMessage, isSystem, type Message } from "../../wire/index.js";
import type { Terminal } from "../terminal/terminal.js";

/** Shows a turn while it runs: the text, the tools, and a status in between. */
export class TurnView {
  readonly #terminal: Terminal;
  readonly #writesText: boolean;
  /** Messages whose text arrived in pieces. */
  readonly #streamed = new Set<string>();
  #message = "";
  #hasText = false;

  /** Without `writesText` only the tools and the status are shown. */
  constructor(terminal: Terminal, { writesText }: { readonly writesText: boolean }) {
    this.#terminal = terminal;
    this.#writesText = writesText;
  }

  receive(message: Message): void {
    if (isMessage(message, "stream_event")) {
      if (message.parent_tool_use_id === null) this.#event(message.event as Event);
    } else if (isMessage(message, "assistant")) {
      const isSub = message.parent_tool_use_id !== null;
      // The CLI reports an API failure as a reply, too; the error of the call already shows it.
      if (message.error !== undefined) return;
      for (const block of message.message.content) this.#block(block, message.message.id, isSub);
    } else if (isMessage(message, "user")) {
      const { content } = message.message;
      if (typeof content !== "string") for (const block of content) this.#result(block);
    } else if (isSystem(message, "api_retry")) {
      const { attempt, max_retries, retry_delay_ms, error_status } = message;
      const why = error_status === null ? "no answer" : `API error ${error_status}`;
      const wait = Math.ceil(retry_delay_ms / 1000);
      this.#terminal.status(`${why}; retry ${attempt} of ${max_retries} in ${wait} s`);
    } else if (isMessage(message, "hawser") || isSystem(message, "init")) {
      this.#terminal.status("thinking");
    }
  }

  /** To be called when the turn has settled: ends the status and the last line. */
  settle(): void {
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
    if (delta.type === "input_json_delta") this.#terminal.status("preparing a tool call");
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
    const about = first === "" ? "(no output)" : oneLine(first, width - 24);
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

/** The parts of a stream event that are read here. All are optional, because the CLI may send others. */
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
