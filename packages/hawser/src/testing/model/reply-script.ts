import type { RecordedRequest } from "./recorded-request.js";
import { type Reply, type ReplyInput, toReply } from "./reply.js";

/** Chooses the reply to a request. Undefined means that the request was not expected. */
export type ReplyFunction = (
  request: RecordedRequest,
) => ReplyInput | undefined | Promise<ReplyInput | undefined>;

/** An entry of a script. A function is called with the request that takes it. */
export type ScriptEntry = ReplyInput | ReplyFunction | Always;

/** A list of replies, one for each request in the order of arrival; one reply; or one function for all. */
export type ReplyScript = readonly ScriptEntry[] | ScriptEntry;

/** A reply that is never used up. */
export interface Always {
  readonly always: ReplyInput | ReplyFunction;
}

/**
 * Creates a reply to every further request.
 *
 * @example
 * ```ts
 * replies: [apiError(529), always("Hello.")];
 * ```
 */
export function always(reply: ReplyInput | ReplyFunction): Always {
  return { always: reply };
}

/** A script with the replies that are not used yet. */
export class PlayedScript {
  readonly #entries: ScriptEntry[];

  constructor(replies: ReplyScript) {
    if (typeof replies === "function") this.#entries = [always(replies)];
    else this.#entries = Array.isArray(replies) ? [...replies] : [checked(replies as ScriptEntry)];
  }

  add(entries: readonly ScriptEntry[]): void {
    this.#entries.push(...entries);
  }

  /** How many replies are not used yet. */
  get left(): number {
    return this.#entries.filter((entry) => !isAlways(entry)).length;
  }

  /** The reply to a request; undefined if the script has none. Rejects if its function throws. */
  async next(request: RecordedRequest): Promise<Reply | undefined> {
    const entry = this.#take();
    const source = entry !== undefined && isAlways(entry) ? entry.always : entry;
    const input = typeof source === "function" ? await source(request) : source;
    return input === undefined ? undefined : toReply(input);
  }

  /** Synchronous, so that simultaneous calls get their replies in order. */
  #take(): ScriptEntry | undefined {
    const first = this.#entries[0];
    return first !== undefined && isAlways(first) ? first : this.#entries.shift();
  }
}

function isAlways(entry: ScriptEntry): entry is Always {
  return typeof entry === "object" && "always" in entry;
}

function checked(entry: ScriptEntry): ScriptEntry {
  if (typeof entry === "string" || (typeof entry === "object" && entry !== null)) return entry;
  throw new TypeError("replies must be a reply, a list of replies, or a function of the request");
}
