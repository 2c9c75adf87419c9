import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { createPool, stream } from "../../src/index.js";
import { fake, open, start } from "./fake.helper.js";

const HANGS = { on: "user", do: [{ init: {} }, { assistant: "half" }, { hang: true }] } as const;
const QUICK = { closeGraceMs: 50 };
const SECRET = "a-secret-of-this-program";
const LONG = `Explain\n\n${"this ".repeat(100)}`;

/** What `console.log(value)` prints, in one line. */
function shown(value: unknown): string {
  return inspect(value, { breakLength: Number.POSITIVE_INFINITY });
}

describe("console.log(session)", () => {
  it("shows id, state, model, pid and the number of turns, from the start to the end", async () => {
    const { session } = await start([], { ...QUICK, env: { MY_API_KEY: SECRET } });
    expect(shown(session)).toMatch(/^Session \{ id: .*, state: 'starting', model: .*turns: 0 \}$/);
    await session.initializationResult();
    expect(shown(session)).toContain("state: 'idle'");
    const turn = session.send("go");
    expect(shown(session)).toMatch(/state: 'busy'.*turns: 1 \}$/);
    await turn.result;
    await session.idle();
    expect(shown(session)).toMatch(
      new RegExp(
        `^Session \\{ id: '${session.id}', state: 'idle', model: '.+', pid: ${session.pid}, turns: 1 \\}$`,
      ),
    );
    expect(inspect(session, { depth: 9, showHidden: true })).not.toContain(SECRET);
    const closed = session.close();
    expect(shown(session)).toContain("state: 'closing'");
    await closed;
    expect(shown(session)).toContain("state: 'closed'");
  });

  it("shows only the name where the object lies too deep", async () => {
    const { session } = await open([], QUICK);
    expect(shown({ a: { b: { c: { session } } } })).toBe("{ a: { b: { c: [Object] } } }");
    expect(shown([[[session]]])).toBe("[ [ [ [Session] ] ] ]");
  });
});

describe("console.log(turn)", () => {
  it("shows the beginning of the prompt, the state and the text so far", async () => {
    const { session } = await open([HANGS], QUICK);
    const turn = session.send(LONG);
    expect(shown(turn)).toMatch(
      /^Turn \{ uuid: '[-\w]+', prompt: 'Explain (this )+(this|thi|th|t)?…', state: 'waiting', text: '' \}$/,
    );
    expect(shown(turn).length).toBeLessThan(200);
    const messages = turn[Symbol.asyncIterator]();
    for (let type: unknown; type !== "assistant"; ) type = (await messages.next()).value.type;
    expect(shown(turn)).toContain("state: 'running', text: 'half'");
    await session.close();
    expect(shown(turn)).toContain("state: 'failed', error: 'closed', text: 'half'");
  });

  it("shows what a turn has cost, and blocks other than text by their type", async () => {
    const { session } = await open([], QUICK);
    const image = { type: "image", source: { type: "url", url: "https://localhost/a" } } as const;
    const turn = session.send([{ type: "text", text: "What is this?" }, image]);
    await turn.result;
    expect(shown(turn)).toMatch(
      /prompt: 'What is this\? \[image\]', state: 'ended', text: 'ok'(, costUsd: [\d.]+)? \}$/,
    );
  });

  it("masks a secret of the environment in the prompt", async () => {
    process.env["INSPECT_TEST_API_KEY"] = SECRET;
    onTestFinished(() => {
      delete process.env["INSPECT_TEST_API_KEY"];
    });
    const { session } = await open([], QUICK);
    const turn = session.send(`use ${SECRET} please`);
    expect(shown(turn)).toContain("prompt: 'use ");
    expect(shown(turn)).not.toContain(SECRET);
    await turn.result;
  });
});

describe("console.log(stream)", () => {
  it("shows the prompt, the state and the text so far", async () => {
    const { path: cliPath } = await fake();
    const call = stream("Greet me.", { cliPath });
    expect(shown(call)).toBe(
      "CompletionStream { prompt: 'Greet me.', state: 'running', text: '' }",
    );
    await call.completion;
    await new Promise(setImmediate);
    expect(shown(call)).toBe(
      "CompletionStream { prompt: 'Greet me.', state: 'ended', text: 'ok' }",
    );
  });

  it("shows a call that was refused, whatever its prompt is", async () => {
    const call = stream(5 as unknown as string);
    await call.completion.catch(() => {});
    await new Promise(setImmediate);
    expect(shown(call)).toBe("CompletionStream { prompt: '5', state: 'failed', text: '' }");
  });
});

describe("console.log(pool)", () => {
  it("shows its state, its processes, its calls and their cost", async () => {
    const { path: cliPath } = await fake();
    const pool = createPool();
    onTestFinished(() => pool.close());
    expect(shown(pool)).toBe(
      "Pool { state: 'open', processes: 0, calls: { running: 0, queued: 0, succeeded: 0, failed: 0 }, spentUsd: 0 }",
    );
    await pool.complete("go", { cliPath });
    expect(shown(pool)).toMatch(/^Pool \{ state: 'open', processes: \d+, calls: .*succeeded: 1, /);
    await pool.close();
    expect(shown(pool)).toContain("state: 'closed', processes: 0");
  });
});
