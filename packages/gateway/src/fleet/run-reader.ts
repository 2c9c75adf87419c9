import { randomUUID } from "node:crypto";
import { isBlock, isMessage, type Message, type Usage } from "hawser";
import type { AnswerEvent } from "hawser/answer";
import type { FleetRunEvent } from "./gateway-fleet.js";

export interface RunReaderOptions {
  /** The name of the model for the client, until a message names the model itself. */
  readonly model: string;
  /** Whether pieces of text are passed on before their message is whole. */
  readonly isStreamed: boolean;
}

/**
 * Turns the events of a run into the events of an answer. All messages of the agent are one answer, as with an agent
 * of the pool; its tool calls are not shown. Each message is a text block. If a host dies in the middle of a message,
 * what the client has got of it stays, and the next message is another block.
 */
export class RunReader {
  readonly #options: RunReaderOptions;
  #isStarted = false;
  #nextIndex = 0;
  /** What the client has got of the block that is open; undefined if none is. */
  #shown: string | undefined;
  #usage: Usage | undefined;
  /** The messages whose tokens are counted: the CLI sends each of their blocks with the same tokens. */
  readonly #counted = new Set<string>();

  constructor(options: RunReaderOptions) {
    this.#options = options;
  }

  /** The tokens of all messages so far. */
  get usageOfAll(): Usage | undefined {
    return this.#usage;
  }

  *read(event: FleetRunEvent): Iterable<AnswerEvent> {
    if (event.type === "text" && this.#options.isStreamed) {
      yield* this.#start(this.#options.model);
      yield* this.#show(event.text ?? "");
    } else if (event.type === "message") yield* this.#readMessage(event.message as Message);
    // The next host begins the message anew.
    else if (event.type === "started" || event.type === "ended") yield* this.#stop();
  }

  *#readMessage(message: Message): Iterable<AnswerEvent> {
    if (!isMessage(message, "assistant") || message.parent_tool_use_id !== null) return;
    const { message: body, error } = message;
    // A message with an error is the CLI's report of a failure. The run fails because of it.
    if (error !== undefined || body.model === "<synthetic>") return;
    this.#count(body.id, body.usage);
    yield* this.#start(body.model);
    const text = body.content.map((block) => (isBlock(block, "text") ? block.text : "")).join("");
    if (text === "") return;
    const shown = this.#shown ?? "";
    if (text.startsWith(shown)) yield* this.#show(text.slice(shown.length));
    else {
      yield* this.#stop();
      yield* this.#show(text);
    }
    yield* this.#stop();
  }

  *#start(model: string): Iterable<AnswerEvent> {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const usage = this.#usage ?? { input_tokens: 0, output_tokens: 0 };
    const id = `msg_${randomUUID().replaceAll("-", "")}`;
    yield { type: "start", message: { id, model, usage } };
  }

  *#show(text: string): Iterable<AnswerEvent> {
    if (text === "") return;
    if (this.#shown === undefined) {
      this.#shown = "";
      yield { type: "block_start", index: this.#nextIndex, block: { type: "text", text: "" } };
    }
    this.#shown += text;
    yield { type: "block_delta", index: this.#nextIndex, delta: { type: "text_delta", text } };
  }

  *#stop(): Iterable<AnswerEvent> {
    if (this.#shown === undefined) return;
    this.#shown = undefined;
    yield { type: "block_stop", index: this.#nextIndex };
    this.#nextIndex += 1;
  }

  #count(id: string, usage: Usage): void {
    if (this.#counted.has(id)) return;
    this.#counted.add(id);
    const sum = (name: keyof Usage) => Number(this.#usage?.[name] ?? 0) + Number(usage[name] ?? 0);
    this.#usage = {
      input_tokens: sum("input_tokens"),
      output_tokens: sum("output_tokens"),
      cache_creation_input_tokens: sum("cache_creation_input_tokens"),
      cache_read_input_tokens: sum("cache_read_input_tokens"),
    };
  }
}
