import { type RecordedRequest, type ReplyInput, reply, toolUse } from "hawser/testing";
import type { Random } from "../../../hawser/test/pool/isolation/random.helper.js";
import type { Departure } from "../support/socket-client.js";
import { type Part, WIRE_FORMATS, type WireFormat } from "../support/wire-format.js";

/**
 * One conversation of one client: a question, perhaps with earlier messages and with a tool that the client runs.
 * Each part has a word that belongs to this conversation alone.
 */
export interface Talk {
  /** `<client>-<number>` */
  readonly id: string;
  readonly format: WireFormat;
  readonly isStreamed: boolean;
  readonly hasTool: boolean;
  /** Whether the model calls the tool. */
  readonly usesTool: boolean;
  /** Whether the second request names the first response, in place of the messages. */
  readonly isStored: boolean;
  readonly system: string;
  readonly toolDescription: string;
  readonly history: readonly Part[];
  readonly question: string;
  /** For each of the two requests. */
  readonly departures: readonly [Departure | undefined, Departure | undefined];
}

export const TOOL = "look_up";

export function planTalk(id: string, random: Random, isLeaver: boolean): Talk {
  const isChance = (share: number) => random.next() < share;
  const format = random.pick(Object.values(WIRE_FORMATS));
  const isStreamed = isChance(0.6);
  // Processes with the tool and without it cannot take each other's place. An even mix would only start processes.
  const hasTool = isChance(0.95);
  const usesTool = hasTool && isChance(0.3);
  // Words in what a process keeps from call to call. Such a call has a process of its own, which is slow to start.
  const isAlone = isChance(0.02);
  const rounds = random.below(3);
  const history = Array.from({ length: rounds }, (_, i) => [
    { user: `Earlier I said ${wordOf(id, `said${i}`)}.` },
    { assistant: `You said ${wordOf(id, `heard${i}`)}.` },
  ]).flat();
  const departure = () => (isLeaver ? departureFrom(random, isStreamed) : undefined);
  return {
    ...{ id, format, isStreamed, hasTool, usesTool, history },
    isStored: format === WIRE_FORMATS.responses && usesTool && !isLeaver && isChance(0.5),
    system: isAlone ? `Be brief, ${wordOf(id, "system")}.` : "Be brief.",
    toolDescription: isAlone ? `Looks up ${wordOf(id, "tool")}.` : "Looks up a word.",
    question: `${usesTool ? USE_IT : "Answer"}: ${wordOf(id, "question")}.`,
    departures: [departure(), departure()],
  };
}

/** At a random point: while the client waits for its turn, or after some event of the stream. */
function departureFrom(random: Random, isStreamed: boolean): Departure | undefined {
  if (isStreamed && random.next() < 0.6) return { afterEvent: 1 + random.below(8) };
  // The longest of these waits outlasts most answers.
  return { afterMs: Math.round(10 ** (random.next() * 4)) };
}

const USE_IT = "Use the tool";

/** The reply of the model to any request of any talk. It repeats all words that it was asked with. */
export function replyTo(request: RecordedRequest): ReplyInput {
  const { messages } = request.body as { messages: unknown };
  const words = wordsIn(JSON.stringify(messages));
  const [, id = "none"] = WORD.exec(words.at(-1) ?? "") ?? [];
  if (request.prompt.includes(USE_IT) && request.toolResults.length === 0) {
    return toolUse(TOOL, { word: wordOf(id, "call") });
  }
  const pace = words.length % 3;
  return reply(answerWith(words), { chunks: 2 + pace * 3, chunkDelayMs: pace * 10 });
}

/** The whole text of the answer to a request with these words. */
export function answerWith(words: readonly string[]): string {
  return `I have read the words ${words.join(" ")} and no other words, and that is all there is to say.`;
}

export function wordOf(id: string, part: string): string {
  return `canary-${id}-${part}`;
}

/** Every word of any talk, in the order of the text. */
export function wordsIn(text: string): string[] {
  return text.match(new RegExp(WORD, "g")) ?? [];
}

/** The talks to which the words in a text belong. */
export function talksIn(text: string): string[] {
  return [...new Set(wordsIn(text).map((word) => WORD.exec(word)?.[1] ?? ""))];
}

const WORD = /canary-(\d+-\d+)-[a-z0-9]+/;
