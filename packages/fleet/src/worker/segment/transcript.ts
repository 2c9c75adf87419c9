import type { SessionStoreEntry } from "hawser";
import { CALL_TEXT } from "./recovery-text.js";

/** A tool call that has no result in the transcript. */
export interface OpenCall {
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The uuid of the entry that makes the call. */
  readonly entry: string;
}

/** What the main transcript of a session tells the host that continues it. */
export class Transcript {
  readonly #entries: readonly SessionStoreEntry[];

  constructor(entries: readonly SessionStoreEntry[]) {
    this.#entries = entries.filter((entry) => entry["isSidechain"] !== true);
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Whether the entry with this uuid is there. */
  has(uuid: string): boolean {
    return this.#entries.some((entry) => entry.uuid === uuid);
  }

  /** The last entry of the conversation: the next one names it as its parent. */
  get last(): SessionStoreEntry | undefined {
    return this.#entries.findLast((entry) => entry.uuid !== undefined && "parentUuid" in entry);
  }

  /** The calls of the model's last message that have no result. Calls of earlier messages have theirs. */
  get openCalls(): readonly OpenCall[] {
    const last = this.#entries.findLast(isAssistant);
    const id = messageOf(last)["id"];
    const answered = new Set(this.#entries.flatMap(resultsIn));
    return this.#entries
      .filter((entry) => isAssistant(entry) && messageOf(entry)["id"] === id)
      .flatMap(callsIn)
      .filter(({ toolUseId }) => !answered.has(toolUseId));
  }

  /**
   * The ids of the calls that ended for certain: they have succeeded. A result that is an error can be that of a call
   * which was interrupted half-way, and one that this library or the CLI has added says that nothing is known.
   */
  get endedCalls(): ReadonlySet<string> {
    const known = this.#entries.filter((entry) => !blocksOf(entry).some(isUnsureResult));
    return new Set(known.flatMap(resultsIn));
  }

  /** Whether the CLI has noted that this call waits for an answer. */
  isDeferred(toolUseId: string): boolean {
    return this.#entries.some((entry) => {
      const attachment = objectOf(entry["attachment"]);
      return attachment["type"] === "hook_deferred_tool" && attachment["toolUseID"] === toolUseId;
    });
  }

  /**
   * The answer to the prompt with this uuid, if the model had given it: the host died between the answer and its
   * record. Undefined if anything came after the answer, or if the model had not ended its turn.
   */
  finalAnswer(prompt: string): string | undefined {
    const from = this.#entries.findIndex((entry) => entry.uuid === prompt);
    if (from < 0) return undefined;
    const said = this.#entries
      .slice(from + 1)
      .filter(({ type }) => type === "user" || type === "assistant");
    const last = said.at(-1);
    const message = messageOf(last);
    if (!isAssistant(last) || message["stop_reason"] !== "end_turn") return undefined;
    // The CLI writes errors of the API as messages of this model.
    if (message["model"] === "<synthetic>") return undefined;
    // The answer of one request can be several entries.
    const texts = said
      .filter((entry) => isAssistant(entry) && messageOf(entry)["id"] === message["id"])
      .flatMap((entry) => blocksOf(entry))
      .flatMap((block) => (block["type"] === "text" ? [String(block["text"])] : []));
    return texts.length === 0 ? undefined : texts.join("");
  }
}

type Json = Readonly<Record<string, unknown>>;

function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function isAssistant(entry: SessionStoreEntry | undefined): entry is SessionStoreEntry {
  return entry?.type === "assistant";
}

function messageOf(entry: SessionStoreEntry | undefined): Json {
  return objectOf(entry?.["message"]);
}

function blocksOf(entry: SessionStoreEntry): Json[] {
  const { content } = messageOf(entry);
  return Array.isArray(content) ? content.map(objectOf) : [];
}

function callsIn(entry: SessionStoreEntry): OpenCall[] {
  return blocksOf(entry).flatMap(({ type, id, name, input }) =>
    type === "tool_use" && typeof id === "string" && typeof name === "string"
      ? [{ toolUseId: id, tool: name, input: objectOf(input), entry: entry.uuid ?? "" }]
      : [],
  );
}

/** The CLI adds a result when it resumes a session in which a call has none. */
function isUnsureResult({ type, content, is_error }: Json): boolean {
  if (type !== "tool_result") return false;
  if (is_error === true) return true;
  const text = typeof content === "string" ? content : JSON.stringify(content ?? "");
  return text.includes(CALL_TEXT.uncertain) || text.includes("[Tool call interrupted");
}

/** The ids of the calls whose results an entry holds. */
export function resultsIn(entry: SessionStoreEntry): string[] {
  if (entry.type !== "user") return [];
  return blocksOf(entry).flatMap(({ type, tool_use_id }) =>
    type === "tool_result" && typeof tool_use_id === "string" ? [tool_use_id] : [],
  );
}
