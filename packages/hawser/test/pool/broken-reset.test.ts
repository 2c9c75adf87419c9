import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createPool, type Pool } from "../../src/pool/index.js";
import { type Action, fakeCli, type Step } from "../../src/testing/index.js";
import { recordingLogger } from "../support/recording-logger.js";

/** A pool over a CLI that repeats all that it remembers, and resets itself in this way. */
async function poolOver(version: string, reset: readonly Action[], more: readonly Step[] = []) {
  const cli = await fakeCli({
    version,
    steps: [
      { on: "user", times: "always", do: [{ turnEcho: true }] },
      { on: "clear", times: "always", do: reset },
      ...more,
    ],
  });
  const { logger, entries } = recordingLogger();
  const pool = createPool({ size: { min: 0, max: 2 }, logger });
  onTestFinished(async () => {
    await pool.close();
    await cli.dispose();
  });
  const ask = async (word: string, stderr?: (line: string) => void) => {
    const options = { cliPath: cli.path, inheritEnv: ["PATH"], stderr };
    const { text } = await pool.complete(word, options);
    return text
      .split("\n")
      .filter((each) => each !== "")
      .join();
  };
  return { pool, ask, entries };
}

/** Until the process is either ready for the next one or gone. */
async function settled(pool: Pool): Promise<void> {
  await vi.waitFor(
    () => {
      const { serving, resetting, closing } = pool.stats().processes;
      expect({ serving, resetting, closing }).toEqual({ serving: 0, resetting: 0, closing: 0 });
    },
    { timeout: 15_000, interval: 5 },
  );
}

const LATE = { emit: { type: "assistant", message: { content: [] } } };

/** How a reset goes wrong, and the reason or the detail that the pool's logger is told. */
const BROKEN: readonly [string, readonly Action[], RegExp][] = [
  ["goes on under its old id", [{ clear: {}, keepSession: true }], /session id did not change/],
  ["says that it took a turn", [{ clear: { num_turns: 1 } }], /reported num_turns: 1/],
  ["says something in return", [{ clear: { result: "ok" } }], /like a prompt/],
  ["answers the command like a prompt", [{ turn: "ok" }], /reported num_turns: \d/],
  ["reports an error", [{ clear: { subtype: "error_during_execution" } }], /reported a failure/],
  ["calls it a failure", [{ clear: { is_error: true } }], /reported a failure/],
  ["names no session", [{ clear: { session_id: "" } }], /named no session/],
  ["names no cost", [{ clear: { total_cost_usd: null } }], /named no cost/],
  ["says something beside it", [{ default: true }, LATE], /sent other messages too/],
  ["has two results", [{ default: true }, { result: {} }], /sent other messages too/],
  [
    "speaks once more a moment later",
    [{ default: true }, { sleep: 150 }, LATE],
    /unexpected_output/,
  ],
  ["prints what is no message", [{ write: '{"type":"a\n' }, { default: true }], /./],
  ["dies of it", [{ exit: 1 }], /reset_failed/],
  ["dies after it", [{ default: true }, { sleep: 150 }, { die: "SIGKILL" }], /exited/],
  ["closes its output after it", [{ default: true }, { sleep: 50 }, { closeStdout: true }], /./],
];

const VERSIONS = [
  { version: "2.1.325", broken: BROKEN },
  // How a process ends or chatters does not depend on what it says.
  { version: "2.1.197", broken: BROKEN.slice(0, 9) },
];

describe.each(VERSIONS)("a process of version $version whose reset", ({ version, broken }) => {
  it.each(broken)("%s serves nobody else", async (_how, reset, reason) => {
    const { pool, ask, entries } = await poolOver(version, reset);
    expect(await ask("word-one")).toBe("word-one");
    await vi.waitFor(() => expect(pool.stats().processes.discarded).not.toEqual({}), {
      timeout: 15_000,
      interval: 5,
    });
    const discard = entries.find(({ message }) => message === "a process is discarded");
    expect(Object.keys(pool.stats().processes.discarded)).toEqual([discard?.fields?.["reason"]]);
    expect(JSON.stringify(discard?.fields)).toMatch(reason);
    expect(await ask("word-two")).toBe("word-two");
    expect(pool.stats().calls.by).toMatchObject({ cold: 2, recycled: 0 });
  });

  it("is not over when the next one comes is waited for, and left if it goes wrong", async () => {
    const { pool, ask } = await poolOver(version, [{ sleep: 200 }, { clear: { num_turns: 1 } }]);
    const words = ["one", "two", "three", "four", "five", "six"];
    const first = words.slice(0, 2).map((word) => ask(word));
    expect(await Promise.all(first)).toEqual(words.slice(0, 2));
    // Both processes are being reset now.
    const others = words.slice(2).map((word) => ask(word));
    expect(await Promise.all(others)).toEqual(words.slice(2));
    await settled(pool);
    expect(pool.stats().calls).toMatchObject({ succeeded: words.length, failed: 0 });
  });

  it("is late but right serves the next one, who sees nothing of the first", async () => {
    const { pool, ask } = await poolOver(version, [{ sleep: 200 }, { default: true }]);
    expect(await ask("word-one")).toBe("word-one");
    await vi.waitFor(() => expect(pool.stats().processes.resetting).toBe(1), { interval: 1 });
    expect(await ask("word-two")).toBe("word-two");
    await settled(pool);
    expect(await ask("word-three")).toBe("word-three");
    expect(pool.stats().calls.by).toMatchObject({ cold: 1, recycled: 2 });
  });

  it("only claims to have forgotten is beyond what a pool can notice, as this test can", async () => {
    const { pool, ask } = await poolOver(version, [{ clear: {}, forget: false }]);
    await ask("word-one");
    await settled(pool);
    expect(await ask("word-two")).toBe("word-one,word-two");
  });
});

it("What a process writes to stderr is told to the one whom it serves only.", async () => {
  const { pool, ask } = await poolOver(
    "2.1.325",
    [{ stderr: "reset\n" }, { default: true }],
    [{ on: "start", do: [{ stderr: "start\n" }] }],
  );
  const heard: string[][] = [[], []];
  await ask("one", (line) => heard[0]?.push(line));
  await settled(pool);
  await ask("two", (line) => heard[1]?.push(line));
  expect(pool.stats().calls.by.recycled).toBe(1);
  expect(heard[1]).toEqual([]);
});
