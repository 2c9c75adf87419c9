import { isHawserError } from "../../src/base/index.js";
import type { Options } from "../../src/options/index.js";
import { query } from "../../src/query/index.js";
import { openSession, type Session } from "../../src/session/index.js";
import type { Message } from "../../src/wire/index.js";
import { acknowledged, type HostLine, Peer } from "./peer.helper.js";
import { type Json, PROMPT_ID } from "./samples.helper.js";

/** One prompt and the lines of the CLI for it. The valid lines must all arrive. */
export interface Case {
  readonly name: string;
  readonly lines: readonly string[];
  readonly good: readonly string[];
}

/** One conversation, turn by turn, until it ends. */
export interface Conversation {
  /** The problem of this case, if any; `AGAIN` if the conversation had ended before the case began. */
  run(each: Case): Promise<string | undefined>;
  readonly isOver: boolean;
  close(): Promise<void>;
}

export const AGAIN = "again";

/** Far beyond what a busy machine needs, so that only a hang reaches it. */
const DEADLINE_MS = 15_000;

/** Prompts over a session. Every turn must settle, with a result or a HawserError. */
export async function inSession(options: Options = {}): Promise<Conversation> {
  const script = new Script();
  const session = await openSession({
    ...script.peer.options,
    includePartialMessages: true,
    ...options,
  });
  const reader = new Reader(session);
  const talk = new Talk(script, reader, async (each) => settledTurn(session, each));
  return {
    run: (each) => talk.run(each),
    get isOver() {
      return reader.ended;
    },
    close: () => session.close(),
  };
}

async function settledTurn(session: Session, { name }: Case): Promise<string | undefined> {
  const turn = session.send(name);
  const outcomes = await Promise.allSettled([
    turn.result,
    turn.text(),
    turn.messages(),
    textOf(turn.textStream),
  ]);
  const bad = outcomes.flatMap((each) =>
    each.status === "rejected" && !isHawserError(each.reason) ? [each.reason] : [],
  );
  return bad.length === 0 ? undefined : `not typed: ${String(bad[0]?.stack ?? bad[0])}`;
}

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

/** Prompts over a query, each as one line of its input. */
export async function inQuery(options: Options = {}): Promise<Conversation> {
  const script = new Script();
  const prompts = new Prompts();
  const run = query({
    prompt: prompts as never,
    options: { ...script.peer.options, includePartialMessages: true, ...options } as never,
  });
  const reader = new Reader(run as AsyncIterable<Message>);
  const talk = new Talk(script, reader, async ({ name }) => {
    prompts.push(name);
    await reader.until(({ type }) => type === "result");
    return undefined;
  });
  return {
    run: ({ good, ...each }) =>
      talk.run({ ...each, good: good.filter((line) => !line.includes(HOST_ONLY)) }),
    get isOver() {
      return reader.ended;
    },
    close: async () => {
      await run.return?.();
    },
  };
}

/** The mark of messages that a query does not pass on. */
const HOST_ONLY = '"sdk_host_only":true';

/** The lines of an input that lasts until the query leaves it. */
class Prompts implements AsyncIterable<object> {
  readonly #lines: object[] = [];
  #wake: () => void = () => {};

  push(content: string): void {
    this.#lines.push({
      type: "user",
      message: { role: "user", content },
      parent_tool_use_id: null,
      uuid: crypto.randomUUID(),
    });
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<object> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) yield line;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

/** A CLI that answers every request, and every prompt with the next lines. */
class Script {
  readonly peer: Peer = new Peer((heard) => this.#replies(heard));
  due: readonly string[] = [];

  #replies({ type, request_id, uuid = "" }: HostLine): readonly string[] {
    if (type === "control_request") return [acknowledged(request_id)];
    if (type !== "user") return [];
    const lines = this.due.map((line) => line.replaceAll(PROMPT_ID, uuid));
    this.due = [];
    return lines;
  }
}

/** Reads to the end, and keeps all messages. */
class Reader {
  seen: Message[] = [];
  ended = false;
  failure: unknown;
  #waiting: (() => void)[] = [];

  constructor(messages: AsyncIterable<Message>) {
    void this.#read(messages);
  }

  async #read(messages: AsyncIterable<Message>): Promise<void> {
    try {
      for await (const message of messages) {
        this.seen.push(message);
        this.#wake();
      }
    } catch (error) {
      this.failure = error;
    }
    this.ended = true;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Or the end. */
  async until(found: (message: Message) => boolean): Promise<void> {
    while (!this.ended && !this.seen.some(found)) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }
}

class Talk {
  readonly #script: Script;
  readonly #reader: Reader;
  readonly #settled: (each: Case) => Promise<string | undefined>;

  constructor(
    script: Script,
    reader: Reader,
    settled: (each: Case) => Promise<string | undefined>,
  ) {
    this.#script = script;
    this.#reader = reader;
    this.#settled = settled;
  }

  async run(each: Case): Promise<string | undefined> {
    const end = { type: "fuzz_end", name: each.name };
    this.#reader.seen = [];
    this.#script.due = [...each.lines, JSON.stringify(end)];
    const isEnd = (message: Message) =>
      message.type === end.type && Reflect.get(message, "name") === end.name;
    const settled = this.#settled(each);
    const late = await lateness({ settled, read: this.#reader.until(isEnd) });
    if (late !== undefined) return `${each.name}: hangs (${late})`;
    if (this.#script.due.length > 0) return AGAIN;
    const problem = (await settled) ?? this.#untypedEnd() ?? lossIn(each, this.#reader.seen);
    return problem === undefined ? undefined : `${each.name}: ${problem}`;
  }

  #untypedEnd(): string | undefined {
    const { failure } = this.#reader;
    if (failure === undefined || isHawserError(failure)) return undefined;
    return `the reader got what is not typed: ${String((failure as Error).stack)}`;
  }
}

async function lateness(
  promises: Readonly<Record<string, Promise<unknown>>>,
): Promise<string | undefined> {
  const open = new Set(Object.keys(promises));
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DEADLINE_MS);
  });
  const all = Object.entries(promises).map(([name, promise]) =>
    promise.finally(() => open.delete(name)),
  );
  await Promise.race([Promise.allSettled(all), deadline]);
  clearTimeout(timer);
  return open.size === 0 ? undefined : [...open].join();
}

/** The first valid line that did not arrive in its place. */
export function lossIn({ good }: Case, seen: readonly Message[]): string | undefined {
  const texts = seen.map(jsonOf);
  let at = 0;
  for (const line of good) {
    const found = texts.findIndex((text, place) => place >= at && sameLine(text, line));
    if (found < 0) return `lost ${line.slice(0, 150)}`;
    at = found + 1;
  }
  return undefined;
}

/** Replaces the id of the prompt, which differs in every case. */
function sameLine(text: string, line: string): boolean {
  if (text === line) return true;
  if (!line.includes(PROMPT_ID)) return false;
  const parts = line.split(PROMPT_ID);
  return text.length === line.length && parts.every((part) => text.includes(part));
}

/** Without its nesting, if that is too deep to be serialised. */
function jsonOf(message: Message): string {
  try {
    return JSON.stringify(message);
  } catch {
    return "";
  }
}

export function isForReader({ type }: Json): boolean {
  return !["control_request", "control_response", "control_cancel_request", "keep_alive"].includes(
    String(type),
  );
}
