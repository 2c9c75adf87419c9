import { isMessage, type Message, type Prompt } from "hawser";
import { MessageReader } from "hawser/answer";
import { estimateTokens } from "../answer/estimate-tokens.js";
import type { Used } from "../tenants/tenant.js";

/** Measures the turns that clients have sent, so that a turn without a result can be booked. */
export class TurnMeters {
  readonly #running = new Map<string, TurnMeter>();

  start(turn: string): TurnMeter {
    const meter = new TurnMeter();
    this.#running.set(turn, meter);
    return meter;
  }

  /** Reads the messages of a turn. Those of other turns are skipped. */
  read(turn: string, messages: readonly Message[]): void {
    this.#running.get(turn)?.read(messages);
  }

  end(turn: string): void {
    this.#running.delete(turn);
  }
}

/** What one turn has used so far. */
export class TurnMeter {
  readonly #reader = new MessageReader({ shows: () => false, isHeld: true });
  #hasBegun = false;
  /** The characters of all replies, also of sub-agents. */
  #length = 0;

  read(messages: readonly Message[]): void {
    this.#hasBegun = true;
    for (const message of messages) {
      for (const _ of this.#reader.read(message));
      this.#length += lengthOf(message);
    }
  }

  /**
   * An estimate for a turn that was cut off: the tokens that the API has reported, and at least a token for four
   * characters of the replies, because the end of a reply that was cut off reports no tokens. Before the first reply,
   * it is the prompt. Undefined if the CLI has not begun.
   */
  used(prompt: Prompt): Used | undefined {
    const usage = this.#reader.usageOfAll ?? (this.#hasBegun ? usageOfPrompt(prompt) : undefined);
    if (usage === undefined) return undefined;
    const output_tokens = Math.max(usage.output_tokens, Math.ceil(this.#length / 4));
    return { usage: { ...usage, output_tokens }, costUsd: undefined, isEstimate: true };
  }
}

/** The characters of a streamed piece: text, thinking, or the input of a tool. */
function lengthOf(message: Message): number {
  if (!isMessage(message, "stream_event") || message.event.type !== "content_block_delta") return 0;
  const { delta } = message.event;
  if (delta.type === "text_delta") return delta.text.length;
  if (delta.type === "thinking_delta") return delta.thinking.length;
  return delta.type === "input_json_delta" ? delta.partial_json.length : 0;
}

function usageOfPrompt(prompt: Prompt): Used["usage"] {
  const content = typeof prompt === "string" ? prompt : [...prompt];
  const input_tokens = estimateTokens({
    system: undefined,
    messages: [{ role: "user", content }],
    tools: [],
  });
  return { input_tokens, output_tokens: 0 };
}
