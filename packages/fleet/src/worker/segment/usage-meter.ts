import type { Message } from "hawser";
import type { SegmentUsage } from "../../runs/claims.js";

/**
 * Counts the tokens of a segment from the messages of the CLI, because a host that dies has no result to tell the
 * cost. The CLI repeats the usage of a request with each block of its answer, so that the newest one counts.
 */
export class UsageMeter {
  readonly #requests = new Map<string, Tokens>();
  #model: string | undefined;
  /** The request that is being answered, by the tool call of the sub-agent that made it; "" is the main thread. */
  readonly #current = new Map<string, string>();

  get usage(): SegmentUsage {
    const sum = (name: keyof Tokens) =>
      [...this.#requests.values()].reduce((total, tokens) => total + tokens[name], 0);
    return {
      model: this.#model,
      inputTokens: sum("input_tokens"),
      outputTokens: sum("output_tokens"),
      cacheReadTokens: sum("cache_read_input_tokens"),
      cacheWriteTokens: sum("cache_creation_input_tokens"),
      requests: this.#requests.size,
    };
  }

  /** True if the message says something new about the usage. */
  add(message: Message): boolean {
    if (message.type === "assistant") {
      const { id, model, usage } = objectOf(message.message);
      return this.#count(id, model, usage);
    }
    if (message.type !== "stream_event") return false;
    const event = objectOf(message.event);
    const thread = message.parent_tool_use_id ?? "";
    if (event["type"] === "message_start") {
      const { id, model, usage } = objectOf(event["message"]);
      if (typeof id === "string") this.#current.set(thread, id);
      return this.#count(id, model, usage);
    }
    return (
      event["type"] === "message_delta" &&
      this.#count(this.#current.get(thread), undefined, event["usage"])
    );
  }

  #count(id: unknown, model: unknown, usage: unknown): boolean {
    if (typeof id !== "string" || typeof usage !== "object") return false;
    // Messages that the CLI makes itself, for example about an error, are no answers of a model.
    if (model === SYNTHETIC) return false;
    if (typeof model === "string") this.#model = model;
    const known = this.#requests.get(id);
    const tokens = mergeTokens(known, objectOf(usage));
    this.#requests.set(id, tokens);
    return known === undefined || NAMES.some((name) => known[name] !== tokens[name]);
  }
}

const SYNTHETIC = "<synthetic>";

const NAMES = [
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
] as const;

type Tokens = Readonly<Record<(typeof NAMES)[number], number>>;

/** Counts only grow while an answer comes; a block that comes later may carry an older count. */
function mergeTokens(known: Tokens | undefined, usage: Readonly<Record<string, unknown>>): Tokens {
  const entries = NAMES.map((name) => {
    const count = usage[name];
    return [name, Math.max(known?.[name] ?? 0, typeof count === "number" ? count : 0)];
  });
  return Object.fromEntries(entries) as Tokens;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
