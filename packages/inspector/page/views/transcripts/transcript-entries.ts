import { contentText } from "../../base/content-text.js";
import { isObject, type JsonObject, objectOf, textField } from "../../base/json.js";
import { type Entry, type Tokens, type TranscriptMessage, tokensOf } from "./transcript-shape.js";

/**
 * The entries of a transcript: prompts, texts and tool calls, each call together with its result, and the tokens of
 * each turn after its last message. `costs` are known costs of turns, by the id of their prompt.
 */
export function transcriptEntries(
  messages: readonly TranscriptMessage[],
  costs: ReadonlyMap<string, number> = new Map(),
): readonly Entry[] {
  const results = resultsOf(messages);
  const entries: Entry[] = [];
  let turn: TurnSum | undefined;
  let prompt = "";
  const endTurn = () => {
    if (turn !== undefined) entries.push(turn.entry());
    turn = undefined;
  };
  for (const message of messages) {
    const parts = entriesOf(message, results);
    if (parts.some(({ kind }) => kind === "prompt")) {
      endTurn();
      prompt = message.uuid;
    }
    entries.push(...parts);
    // Messages of sub-agents stand at the end, after the last turn.
    const isOfTurn = message.type === "assistant" && message.agentId === undefined;
    const tokens = isOfTurn ? tokensOf(message.message) : undefined;
    if (tokens === undefined) continue;
    turn ??= new TurnSum(costs.get(prompt));
    turn.add(message, tokens);
  }
  endTurn();
  return entries;
}

/** The tokens of one turn. The CLI writes a message of several blocks as several lines with the same usage. */
class TurnSum {
  readonly #byMessage = new Map<string, Tokens>();
  #last: TranscriptMessage | undefined;
  #costUsd: number | undefined;

  constructor(costUsd: number | undefined) {
    this.#costUsd = costUsd;
  }

  add(message: TranscriptMessage, tokens: Tokens): void {
    const { id } = objectOf(message.message);
    this.#byMessage.set(typeof id === "string" ? id : message.uuid, tokens);
    this.#last = message;
  }

  entry(): Entry {
    const all = [...this.#byMessage.values()];
    const sum = (field: keyof Tokens) => all.reduce((total, each) => total + each[field], 0);
    const { index = 0, uuid = "", timestamp, isLeftOut = false } = this.#last ?? {};
    return {
      kind: "turn_end",
      index,
      key: `${index} ${uuid} end`,
      at: timestamp,
      isSubagent: false,
      isLeftOut,
      tokens: { read: sum("read"), cached: sum("cached"), written: sum("written") },
      costUsd: this.#costUsd,
    };
  }
}

type Results = ReadonlyMap<string, { readonly text: string; readonly isError: boolean }>;

/** The results of tool calls, by the id of the call. */
function resultsOf(messages: readonly TranscriptMessage[]): Results {
  const results = new Map<string, { readonly text: string; readonly isError: boolean }>();
  for (const { type, message } of messages) {
    if (type !== "user") continue;
    for (const block of blocksOf(message)) {
      if (block["type"] !== "tool_result") continue;
      const text = contentText(block["content"]);
      results.set(String(block["tool_use_id"]), { text, isError: block["is_error"] === true });
    }
  }
  return results;
}

function entriesOf(message: TranscriptMessage, results: Results): readonly Entry[] {
  const { index, uuid, timestamp, parent_tool_use_id, agentId, isLeftOut = false } = message;
  const isSubagent = typeof parent_tool_use_id === "string" || agentId !== undefined;
  return blocksOf(message.message).flatMap((block, at): Entry[] => {
    const head = { index, key: `${index} ${uuid} ${at}`, at: timestamp, isSubagent, isLeftOut };
    switch (block["type"]) {
      case "text": {
        const text = textField(block, "text") ?? "";
        return text === "" ? [] : [{ ...head, kind: textKind(message), text }];
      }
      case "thinking":
        return [{ ...head, kind: "thinking", text: textField(block, "thinking") ?? "" }];
      case "tool_use": {
        const result = results.get(String(block["id"]));
        const tool = textField(block, "name") ?? "";
        return [{ ...head, kind: "tool", tool, input: block["input"], result }];
      }
      case "tool_result":
        return [];
      default:
        return [{ ...head, kind: "note", text: contentText(block) }];
    }
  });
}

function textKind(message: TranscriptMessage): "prompt" | "text" | "note" {
  if (message.type === "assistant") return "text";
  const isOfPerson =
    message.type === "user" && message.is_meta !== true && message.isCompactSummary !== true;
  return isOfPerson ? "prompt" : "note";
}

/** The blocks of a message. A text stands for one block. */
function blocksOf(message: unknown): readonly JsonObject[] {
  const { content } = isObject(message) ? message : { content: message };
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}
