import { mkdir } from "node:fs/promises";
import { isHawserError } from "../../../src/base/index.js";
import type { ToolCall } from "../../../src/complete/index.js";
import type { Pool } from "../../../src/pool/index.js";
import type { Planned } from "./plan.helper.js";

/** The outcome of a call. */
export interface Told {
  readonly call: Planned;
  readonly ok: boolean;
  readonly code: string | undefined;
  readonly text: string;
  readonly sessionId: string | undefined;
  /** The whole outcome, as far as it can be serialised. */
  readonly all: unknown;
}

type Answer = { text: string; sessionId: string; toolCalls?: readonly ToolCall[] };

/** Runs all calls in order, `atOnce` at a time. */
export async function runAll(
  pool: Pool,
  calls: readonly Planned[],
  atOnce: number,
): Promise<Told[]> {
  for (const { home } of calls) await mkdir(home.options.cwd ?? ".", { recursive: true });
  const told: Told[] = [];
  const waiting = calls.values();
  const work = async () => {
    for (const call of waiting) told.push(await run(pool, call));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return told;
}

async function run(pool: Pool, call: Planned): Promise<Told> {
  if (call.fate === "aborted at once") setTimeout(() => call.abort.abort(), call.number % 40);
  try {
    const { text: said, sessionId, toolCalls = [], ...all } = await ask(pool, call);
    const text = `${said}${toolCalls.length === 0 ? "" : JSON.stringify(toolCalls)}`;
    return { call, ok: true, code: undefined, text, sessionId, all: { text, sessionId, ...all } };
  } catch (error) {
    if (!isHawserError(error)) throw error;
    const names = Object.getOwnPropertyNames(error).filter((name) => name !== "stack");
    const all = names.map((name) => (error as unknown as Record<string, unknown>)[name]);
    const { code, partialText = "", sessionId } = error;
    return { call, ok: false, code, text: partialText, sessionId, all };
  }
}

async function ask(pool: Pool, call: Planned): Promise<Answer> {
  const { kind, prompt, options, streams } = call;
  if (kind === "session") return converse(pool, call);
  if (!streams) return pool.complete(prompt, options);
  const stream = pool.stream(prompt, options);
  for await (const _ of stream);
  return stream.completion;
}

/** Changes everything that a caller can change in a session. */
async function converse(pool: Pool, { prompt, options, fate, abort }: Planned) {
  await using session = await pool.openSession(options);
  await session.setPermissionMode("acceptEdits");
  await session.setModel("claude-sonnet-4-5");
  const signal = fate === "answered" ? undefined : abort.signal;
  const turn = session.send(prompt, { signal });
  const text = await turn.text();
  return { text, sessionId: session.id ?? "" };
}
