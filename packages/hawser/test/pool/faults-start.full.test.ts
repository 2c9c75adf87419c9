import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { complete } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import type { PoolOptions } from "../../src/pool/index.js";
import { fakeCli, type Step } from "../../src/testing/index.js";
import { startsOf } from "../support/starts.js";
import { eventually, failureOf, opened, stage, when } from "./faults.helper.js";

const WARM = (options: Options): PoolOptions => ({ size: { min: 1, max: 2 }, warm: [options] });
const exits: Step = { on: "start", times: "always", do: [{ stderr: "no luck" }, { exit: 1 }] };

describe("Pool with a CLI that cannot be started", () => {
  it.each<[string, readonly Step[], number]>([
    ["exits", [exits], 1],
    [
      "refuses to initialize",
      [{ on: "initialize", times: "always", do: [{ respondError: "No." }] }],
      1,
    ],
    // A crash may be an accident, so that the pool tries three times.
    ["crashes", [{ on: "start", times: "always", do: [{ exit: 139 }] }], 3],
  ])(
    "rejects with the error of a call without a pool when the CLI %s",
    async (_, steps, starts) => {
      const at = await stage(steps);
      const { code, exitCode, stderrTail } = await failureOf(complete("alone", at.options));
      const failure = await failureOf(at.pool.complete("word", at.options));
      expect(failure).toMatchObject({ code });
      expect(failure.exitCode).toBe(exitCode);
      expect(failure.stderrTail).toBe(stderrTail);
      expect(await failureOf(at.pool.openSession(at.options))).toMatchObject({ code });
      expect(await at.sent("word")).toBe(0);
      expect(at.told.pids).toHaveLength(2 * starts);
      await when(at, ({ calls }) => calls.running === 0);
    },
  );

  it("rejects with process_exited when the CLI prints garbage and exits", async () => {
    const noise = { write: "Hello there!\n{\n" };
    const at = await stage([{ on: "start", times: "always", do: [noise, { exit: 1 }] }], WARM);
    await when(at, ({ processes }) => processes.discarded.start_failed === 1);
    const failure = await failureOf(at.pool.complete("word", at.options));
    expect(failure).toMatchObject({ code: "process_exited", exitCode: 1 });
    expect(await at.sent("word")).toBe(0);
  });

  it("rejects with cli_not_found when the CLI does not exist", async () => {
    const pool = opened({ warm: [{ cliPath: "/nowhere/claude" }] });
    const options = { cliPath: "/nowhere/claude" };
    const { code } = await failureOf(complete("word", options));
    expect(code).toBe("cli_not_found");
    expect(await failureOf(pool.complete("word", options))).toMatchObject({ code });
    expect(pool.stats().processes.started).toBe(0);
  });

  it("starts spares at growing intervals, and uses the CLI again when it works", async () => {
    const at = await stage([exits], WARM);
    const begun = performance.now();
    await eventually(async () => expect(await startsOf(at.cli)).toHaveLength(3));
    // The spares start at once, after one second, and after two more seconds.
    expect(performance.now() - begun).toBeGreaterThan(2_900);
    await when(at, ({ processes }) => processes.discarded.start_failed === 3);
    // A call does not wait for the next spare, and starts a process at once.
    await writeFile(at.cli.path.replace("claude.mjs", "scenario.json"), "{}");
    expect(await at.pool.complete("word", at.options)).toMatchObject({ text: "ok" });
    await when(at, ({ processes }) => processes.initialized + processes.recycled >= 1);
  });

  it("still starts spares of another CLI", async () => {
    await using well = await fakeCli();
    const at = await stage([exits], (options) => ({
      size: { min: 1, max: 4 },
      warm: [{ cliPath: well.path }, options],
    }));
    await when(at, ({ processes }) => processes.initialized === 1);
    expect(await at.pool.complete("word", { cliPath: well.path })).toMatchObject({ text: "ok" });
    expect(at.pool.stats().calls.by.initialized).toBe(1);
    await at.pool.close();
  });
});
