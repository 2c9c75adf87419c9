import { writeFile } from "node:fs/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Step } from "../../src/testing/index.js";
import { failureOf, opened, stage } from "./faults.helper.js";
import { onFake, PATIENCE } from "./on-fake.helper.js";

const exits: Step = { on: "start", times: "always", do: [{ stderr: "no luck\n" }, { exit: 1 }] };

describe("Pool.ready()", () => {
  it("resolves when all processes of `warm` are initialized", async () => {
    const { pool, options } = await onFake((call) => ({
      size: { min: 2, max: 8 },
      warm: [call, { ...call, systemPrompt: "Another." }],
    }));
    await pool.ready();
    expect(pool.stats().processes).toMatchObject({ starting: 0, initialized: 4, started: 4 });
    await pool.complete("x", options);
    expect(pool.stats().calls.by).toMatchObject({ cold: 0, initialized: 1 });
  });

  it("resolves at once when no process has to be started", async () => {
    await expect(opened({}).ready()).resolves.toBeUndefined();
    const { pool } = await onFake((call) => ({ size: { min: 0 }, warm: [call] }));
    await pool.ready();
    expect(pool.stats().processes.started).toBe(0);
  });

  it("waits for at most size.max processes", async () => {
    const { pool } = await onFake((call) => ({
      size: { max: 1 },
      warm: [call, { ...call, systemPrompt: "Another." }],
    }));
    await pool.ready();
    expect(pool.stats().processes).toMatchObject({ starting: 0, initialized: 1 });
  });

  it("rejects with the reason why a process does not start, and can be called again", async () => {
    const at = await stage([exits], (options) => ({ size: { min: 1 }, warm: [options] }));
    const reason = { code: "process_exited", exitCode: 1, stderrTail: "no luck" };
    expect(await failureOf(at.pool.ready())).toMatchObject(reason);
    // A later call of ready() rejects with the same reason.
    expect(await failureOf(at.pool.ready())).toMatchObject(reason);
    expect(at.told.pids).toHaveLength(1);
    await writeFile(at.cli.path.replace("claude.mjs", "scenario.json"), "{}");
    await vi.waitFor(() => at.pool.ready(), PATIENCE);
    expect(at.pool.stats().processes.initialized).toBe(1);
  });

  it("does not resolve without a process if the pause after a failed start ends while it looks", async () => {
    const at = await stage([exits], (options) => ({ size: { min: 1 }, warm: [options] }));
    await failureOf(at.pool.ready());
    await writeFile(at.cli.path.replace("claude.mjs", "scenario.json"), "{}");
    // Each look at the clock is a millisecond later, so that the pause ends between two looks of one ready().
    let now = 0;
    const begun = performance.now() + 900;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now++);
    onTestFinished(() => clock.mockRestore());
    let tries = 0;
    do {
      tries += 1;
      now = begun + tries;
    } while (
      await at.pool.ready().then(
        () => false,
        () => true,
      )
    );
    expect(tries).toBeGreaterThan(1);
    expect(at.pool.stats().processes.initialized).toBe(1);
  });

  it("rejects with cli_not_found for a CLI that does not exist", async () => {
    const pool = opened({ warm: [{ cliPath: "/nowhere/claude" }] });
    expect(await failureOf(pool.ready())).toMatchObject({ code: "cli_not_found" });
    expect(await failureOf(pool.ready())).toMatchObject({ code: "cli_not_found" });
  });

  it("rejects with pool_closed when the pool is closed before or meanwhile", async () => {
    const hangs: Step = { on: "initialize", times: "always", do: [{ hang: true }] };
    const at = await stage([hangs], (options) => ({ size: { min: 1 }, warm: [options] }));
    const waiting = failureOf(at.pool.ready());
    const closing = at.pool.close();
    expect(await waiting).toMatchObject({ code: "pool_closed" });
    expect(await failureOf(at.pool.ready())).toMatchObject({ code: "pool_closed" });
    await closing;
  });
});
