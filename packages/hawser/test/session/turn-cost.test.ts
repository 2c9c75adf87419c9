import { describe, expect, it, vi } from "vitest";
import { createPool } from "../../src/pool/index.js";
import { openSession, type Session, type Turn } from "../../src/session/index.js";
import {
  fakeCli,
  hang,
  type ReplyInput,
  type ReplyScript,
  reply,
  toolUse,
} from "../../src/testing/index.js";
import { atRest } from "../pool/on-fake.helper.js";
import { clisInTurn, NEWEST_CLI, OLDER_CLI } from "../support/cli.js";
import { transcriptIn } from "../support/transcript.js";
import { world } from "../support/world.js";

const MODEL = "claude-sonnet-4-5";
/** What one request to the simulated model costs on `MODEL`. */
const REQUEST_USD = 0.0105;
const HAIKU_USD = 0.0035;

function ok(text = "ok"): ReplyInput {
  return reply(text, { usage: { input_tokens: 1000, output_tokens: 500 } });
}

function place(path: string, replies: ReplyScript = () => ok()) {
  return world(path, replies);
}

/** The cost of the turn, and the running total of the CLI at its end. */
async function ended(turn: Turn): Promise<{ cost: number | undefined; total: number }> {
  const { total_cost_usd: total } = await turn.result;
  return { cost: turn.costUsd, total };
}

async function costs(session: Session, ...prompts: string[]): Promise<(number | undefined)[]> {
  const all: (number | undefined)[] = [];
  for (const prompt of prompts) all.push((await ended(session.send(prompt))).cost);
  return all;
}

function signal(): { readonly given: Promise<void>; give(): void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

function usd(...each: number[]): unknown[] {
  return each.map((value) => expect.closeTo(value, 8));
}

describe.each(clisInTurn())("turn.costUsd on $name", ({ path }) => {
  it("is what each turn adds to the total, also on another model, and undefined before the end", async () => {
    const { options } = await place(path);
    await using session = await openSession({ ...options, model: MODEL });
    const first = session.send("one");
    expect(first.costUsd).toBeUndefined();
    expect(await ended(first)).toEqual({ cost: usd(REQUEST_USD)[0], total: usd(REQUEST_USD)[0] });
    const second = await ended(session.send("two"));
    expect([second.cost, second.total]).toEqual(usd(REQUEST_USD, 2 * REQUEST_USD));
    await session.setModel("claude-haiku-4-5");
    const third = await ended(session.send("three"));
    expect([third.cost, third.total]).toEqual(usd(HAIKU_USD, 2 * REQUEST_USD + HAIKU_USD));
  });

  it("does not count what was spent before a resume or a fork", async () => {
    const { options } = await place(path);
    const first = await openSession({ ...options, model: MODEL });
    expect(await costs(first, "one", "two")).toEqual(usd(REQUEST_USD, REQUEST_USD));
    const { id } = first;
    await first.close();
    for (const forkSession of [false, true]) {
      await using again = await openSession({ ...options, model: MODEL, resume: id, forkSession });
      expect(await costs(again, "three", "four")).toEqual(usd(REQUEST_USD, REQUEST_USD));
    }
  });

  it("does not count what was spent before the process was replaced (`recover`)", async () => {
    const { options, configDir } = await place(path);
    await using session = await openSession({ ...options, model: MODEL, recover: true });
    expect(await costs(session, "one")).toEqual(usd(REQUEST_USD));
    await session.idle();
    await vi.waitFor(() => expect(transcriptIn(configDir)).toContain('"ok"'), { timeout: 30_000 });
    process.kill(session.pid ?? Number.NaN, "SIGKILL");
    expect(await costs(session, "two", "three")).toEqual(usd(REQUEST_USD, REQUEST_USD));
  });

  it("counts the result that answers several prompts once, as 0 for all but one of them", async () => {
    const [held, gate] = [signal(), signal()];
    const { options } = await place(path, async ({ prompt }) => {
      if (!prompt.includes("first")) return ok();
      held.give();
      await gate.given;
      return ok();
    });
    await using session = await openSession({ ...options, model: MODEL });
    // Before its first answer, it is not known whether the CLI takes prompts while a turn runs.
    expect(await costs(session, "zero")).toEqual(usd(REQUEST_USD));
    const first = session.send("first");
    await held.given;
    const turns = [first, session.send("second"), session.send("third")];
    // The CLI answers this when it has read the prompts.
    await session.mcpServerStatus();
    gate.give();
    const results = await Promise.all(turns.map(({ result }) => result));
    // The older CLI is given one prompt at a time.
    const each = path === NEWEST_CLI ? [REQUEST_USD, REQUEST_USD, 0] : Array(3).fill(REQUEST_USD);
    expect(turns.map(({ costUsd }) => costUsd)).toEqual(usd(...each));
    const sum = turns.reduce((before, { costUsd }) => before + (costUsd ?? Number.NaN), 0);
    expect(REQUEST_USD + sum).toBeCloseTo(results.at(-1)?.total_cost_usd ?? 0, 8);
  });

  it("is undefined after an interrupt, while the next turn has its own cost", async () => {
    const { options } = await place(path, ({ prompt }) =>
      prompt.includes("story") ? hang("Once") : ok(),
    );
    await using session = await openSession({ ...options, model: MODEL });
    const story = session.send("Tell a story.");
    for await (const _ of story.textStream) break;
    expect(await story.result).toMatchObject({ is_error: true });
    expect(story.costUsd).toBeUndefined();
    expect(await costs(session, "one")).toEqual(usd(REQUEST_USD));
  });

  it("counts every request of a turn with tools, and 0 for `/clear`", async () => {
    const { options } = await place(path, ({ toolResults }) =>
      toolResults.length > 0
        ? ok()
        : reply([toolUse("Bash", { command: "true", description: "d" })], {
            usage: { input_tokens: 1000, output_tokens: 500 },
          }),
    );
    await using session = await openSession({ ...options, model: MODEL, allowedTools: ["Bash"] });
    expect(await costs(session, "one")).toEqual(usd(2 * REQUEST_USD));
    expect(await ended(session.command("/clear"))).toMatchObject({ cost: 0 });
    expect(await costs(session, "two")).toEqual(usd(2 * REQUEST_USD));
  });
});

it("turn.costUsd does not count what a process of a pool has spent for others", async () => {
  const { options } = await place(OLDER_CLI);
  // This CLI keeps its total when its conversation is reset.
  await using pool = createPool({ size: { min: 0, max: 1 } });
  const call = { ...options, model: MODEL, preset: "lean", persistSession: false } as const;
  expect((await pool.complete("one", call)).costUsd).toBeCloseTo(REQUEST_USD, 8);
  await atRest(pool);
  await using session = await pool.openSession(call);
  expect(await costs(session, "two", "three")).toEqual(usd(REQUEST_USD, REQUEST_USD));
  expect(pool.stats().calls.by).toMatchObject({ recycled: 1 });
});

it("turn.costUsd is undefined where a total becomes smaller and the CLI does not say why", async () => {
  const result = (total_cost_usd: number) => ({
    result: { total_cost_usd, model_usage_since_last_result: undefined },
  });
  await using cli = await fakeCli({
    steps: [
      { on: "user", do: [{ init: {} }, result(0.5)] },
      { on: "user", do: [{ init: {} }, result(0.2)] },
      { on: "user", do: [{ init: {} }, result(0.3)] },
    ],
  });
  await using session = await openSession({ cliPath: cli.path });
  expect(await costs(session, "one", "two", "three")).toEqual([
    0.5,
    undefined,
    expect.closeTo(0.1, 8),
  ]);
});
