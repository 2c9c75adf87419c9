import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createPool, type Pool } from "../../src/pool/index.js";
import type { Action, Step } from "../../src/testing/index.js";
import { FULL } from "../support/cli.js";
import { recordingLogger } from "../support/recording-logger.js";
import { reusedFake } from "../support/reused-fake.js";

/** A pool over a fake CLI that repeats its whole conversation, and answers /clear by `reset`. */
async function poolOver(version: string, reset: readonly Action[], more: readonly Step[] = []) {
  const cli = await reusedFake({
    version,
    steps: [
      { on: "user", times: "always", do: [{ turnEcho: true }] },
      { on: "clear", times: "always", do: reset },
      ...more,
    ],
  });
  const { logger, entries } = recordingLogger();
  const pool = createPool({ size: { min: 0, max: 2 }, logger });
  onTestFinished(() => pool.close());
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

/** Waits until the process is ready for the next call, or has exited. */
async function settled(pool: Pool): Promise<void> {
  await vi.waitFor(
    () => {
      const { serving, resetting, closing } = pool.stats().processes;
      expect({ serving, resetting, closing }).toEqual({ serving: 0, resetting: 0, closing: 0 });
    },
    { timeout: 15_000, interval: 20 },
  );
}

const LATE = { emit: { type: "assistant", message: { content: [] } } };

/** How a reset goes wrong, and the reason or the detail in the pool's log. */
const BROKEN: readonly [string, readonly Action[], RegExp][] = [
  ["keeps its session id", [{ clear: {}, keepSession: true }], /session id did not change/],
  ["reports a turn for the reset", [{ clear: { num_turns: 1 } }], /reported num_turns: 1/],
  ["reports a result text", [{ clear: { result: "ok" } }], /like a prompt/],
  ["answers /clear like a prompt", [{ turn: "ok" }], /reported num_turns: \d/],
  [
    "reports an error subtype",
    [{ clear: { subtype: "error_during_execution" } }],
    /reported a failure/,
  ],
  ["reports is_error", [{ clear: { is_error: true } }], /reported a failure/],
  ["reports no session id", [{ clear: { session_id: "" } }], /named no session/],
  ["reports no cost", [{ clear: { total_cost_usd: null } }], /named no cost/],
  [
    "prints another message beside the result",
    [{ default: true }, LATE],
    /sent other messages too/,
  ],
  ["prints two results", [{ default: true }, { result: {} }], /sent other messages too/],
  ["prints a message 150 ms later", [{ default: true }, { sleep: 150 }, LATE], /unexpected_output/],
  ["prints a line that is no message", [{ write: '{"type":"a\n' }, { default: true }], /./],
  ["exits during the reset", [{ exit: 1 }], /reset_failed/],
  ["dies after the reset", [{ default: true }, { sleep: 150 }, { die: "SIGKILL" }], /exited/],
  ["closes stdout after the reset", [{ default: true }, { sleep: 50 }, { closeStdout: true }], /./],
];

const VERSIONS = [
  { version: "2.1.325", broken: BROKEN },
  // How a process ends or prints does not depend on its version. What it says about a reset does.
  { version: "2.1.197", broken: FULL ? BROKEN.slice(0, 9) : BROKEN.slice(0, 4) },
];

describe.each(VERSIONS)("Pool on version $version", ({ version, broken }) => {
  it.each(broken)(
    "discards a process whose reset fails this way: the CLI %s",
    async (_how, reset, reason) => {
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
    },
  );

  it("lets a call wait for a running reset, and serves it by another process when the reset fails", async () => {
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

  it("serves the next call by a process whose reset was slow, without words of the first call", async () => {
    const { pool, ask } = await poolOver(version, [{ sleep: 200 }, { default: true }]);
    expect(await ask("word-one")).toBe("word-one");
    await vi.waitFor(() => expect(pool.stats().processes.resetting).toBe(1), { interval: 1 });
    expect(await ask("word-two")).toBe("word-two");
    await settled(pool);
    expect(await ask("word-three")).toBe("word-three");
    expect(pool.stats().calls.by).toMatchObject({ cold: 1, recycled: 2 });
  });

  it("cannot detect a CLI that confirms a reset but keeps the conversation (control for the tests above)", async () => {
    const { pool, ask } = await poolOver(version, [{ clear: {}, forget: false }]);
    await ask("word-one");
    await settled(pool);
    expect(await ask("word-two")).toBe("word-one,word-two");
  });
});

it("Pool shows a call only the stderr that the process writes while it serves the call", async () => {
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
