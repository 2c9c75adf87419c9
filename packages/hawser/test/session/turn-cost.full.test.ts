import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createPool } from "../../src/pool/index.js";
import { openSession, type Session, type Turn } from "../../src/session/index.js";
import { always, fakeCli, hang, type ReplyInput, reply, toolUse } from "../../src/testing/index.js";
import { atRest } from "../pool/on-fake.helper.js";
import { clisInTurn, FULL, NEWEST_CLI, OLDER_CLI } from "../support/cli.js";
import { transcriptIn } from "../support/transcript.js";
import { world } from "../support/world.js";
import { sharedSession } from "./shared-session.helper.js";

const MODEL = "claude-sonnet-4-5";
/** The cost of one request to the simulated model with `MODEL`. */
const REQUEST_USD = 0.0105;
const HAIKU_USD = 0.0035;

function ok(text = "ok"): ReplyInput {
  return reply(text, { usage: { input_tokens: 1000, output_tokens: 500 } });
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

const TOOL = reply([toolUse("Bash", { command: "true", description: "d" })], {
  usage: { input_tokens: 1000, output_tokens: 500 },
});

describe.each(clisInTurn())("turn.costUsd on $name", ({ path }) => {
  const shared = sharedSession(path, { model: MODEL, allowedTools: ["Bash"] });

  it("is the amount that the turn adds to total_cost_usd, and undefined before the result", async () => {
    const { session } = shared;
    shared.script(always(() => ok()));
    const before = await ended(session.send("zero"));
    const first = session.send("one");
    expect(first.costUsd).toBeUndefined();
    const one = await ended(first);
    expect([one.cost, one.total - before.total]).toEqual(usd(REQUEST_USD, REQUEST_USD));
    await session.setModel("claude-haiku-4-5");
    const two = await ended(session.send("two"));
    expect([two.cost, two.total - one.total]).toEqual(usd(HAIKU_USD, HAIKU_USD));
    await session.setModel(MODEL);
  });

  it("counts a result that answers several prompts once, as 0 for all but one of them", async () => {
    const { session } = shared;
    const [held, gate] = [signal(), signal()];
    const hold = async () => {
      held.give();
      await gate.given;
      return ok();
    };
    shared.script(ok(), hold, ok(), ok());
    // Before the first result, the session does not know whether the CLI takes prompts during a turn.
    const before = await ended(session.send("zero"));
    const first = session.send("first");
    await held.given;
    const turns = [first, session.send("second"), session.send("third")];
    // The CLI answers this request when it has read the prompts.
    await session.mcpServerStatus();
    gate.give();
    const results = await Promise.all(turns.map(({ result }) => result));
    // The older CLI is given one prompt at a time.
    const each = path === NEWEST_CLI ? [REQUEST_USD, REQUEST_USD, 0] : Array(3).fill(REQUEST_USD);
    expect(turns.map(({ costUsd }) => costUsd)).toEqual(usd(...each));
    const sum = turns.reduce((before, { costUsd }) => before + (costUsd ?? Number.NaN), 0);
    expect(before.total + sum).toBeCloseTo(results.at(-1)?.total_cost_usd ?? 0, 8);
  });

  it("is undefined after an interrupt, while the next turn has its own cost", async () => {
    const { session } = shared;
    shared.script(hang("Once"), ok());
    const story = session.send("Tell a story.");
    for await (const _ of story.textStream) break;
    expect(await story.result).toMatchObject({ is_error: true });
    expect(story.costUsd).toBeUndefined();
    expect(await costs(session, "one")).toEqual(usd(REQUEST_USD));
  });

  it("counts every request of a turn with tools, and is 0 for /clear", async () => {
    const { session } = shared;
    shared.script(TOOL, ok(), TOOL, ok());
    expect(await costs(session, "one")).toEqual(usd(2 * REQUEST_USD));
    expect(await ended(session.command("/clear"))).toMatchObject({ cost: 0 });
    expect(await costs(session, "two")).toEqual(usd(2 * REQUEST_USD));
  });

  it("does not count what was spent before the process was replaced (recover), resumed or forked", async () => {
    const { options, configDir } = await world(path, () => ok());
    const first = await openSession({ ...options, model: MODEL, recover: true });
    onTestFinished(() => first.close());
    expect(await costs(first, "one")).toEqual(usd(REQUEST_USD));
    await first.idle();
    await vi.waitFor(() => expect(transcriptIn(configDir)).toContain('"ok"'), { timeout: 30_000 });
    process.kill(first.pid ?? Number.NaN, "SIGKILL");
    expect(await costs(first, "two", "three")).toEqual(usd(REQUEST_USD, REQUEST_USD));
    const { id } = first;
    await first.close();
    for (const forkSession of FULL ? [false, true] : [false]) {
      await using again = await openSession({ ...options, model: MODEL, resume: id, forkSession });
      expect(await costs(again, "four", "five")).toEqual(usd(REQUEST_USD, REQUEST_USD));
    }
  });
});

describe("turn.costUsd", () => {
  it("does not count what a pool process has spent for earlier calls", async () => {
    const { options } = await world(OLDER_CLI, () => ok());
    // This CLI keeps its total when its conversation is reset.
    await using pool = createPool({ size: { min: 0, max: 1 } });
    const call = { ...options, model: MODEL, preset: "lean", persistSession: false } as const;
    expect((await pool.complete("one", call)).costUsd).toBeCloseTo(REQUEST_USD, 8);
    await atRest(pool);
    await using session = await pool.openSession(call);
    expect(await costs(session, "two", "three")).toEqual(usd(REQUEST_USD, REQUEST_USD));
    expect(pool.stats().calls.by).toMatchObject({ recycled: 1 });
  });

  it("is undefined if total_cost_usd decreases and the CLI does not say why", async () => {
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
});
