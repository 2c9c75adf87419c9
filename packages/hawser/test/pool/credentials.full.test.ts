import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { isolatedEnv } from "../../src/testing/index.js";
import { BUILT_ROOT } from "../support/built.js";
import { HAWSER } from "../support/pty.js";
import { recordingLogger } from "../support/recording-logger.js";
import { onFake } from "./on-fake.helper.js";

const WARNING = "calls with different credentials share one user of this machine";

async function findings(cliPath: string): Promise<readonly { id: string; message: string }[]> {
  await using place = await isolatedEnv();
  const args = [HAWSER, "doctor", "--json", "--cli", cliPath];
  const run = promisify(execFile)(process.execPath, args, { env: place.env, cwd: place.cwd });
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  return JSON.parse(stdout).findings;
}

/** Prints how often the heap of a program holds the API key of calls whose processes are gone. */
function heapProgram(cliPath: string, snapshot: string): string {
  return `
    import { readFileSync } from "node:fs";
    import { setTimeout as delay } from "node:timers/promises";
    import v8 from "node:v8";
    import { createPool } from ${JSON.stringify(BUILT_ROOT)};
    const options = { cliPath: ${JSON.stringify(cliPath)}, inheritEnv: false, env: { PATH: process.env.PATH } };
    const pool = createPool({ size: { max: 1 }, idleMs: 100 });
    const parts = ["tenant", "key", "9f8e7d6c5b"];
    for (let calls = 0; calls < 3; calls += 1) {
      await pool.complete("x", { ...options, apiKey: parts.join("_") });
      await delay(20);
    }
    // Only processes have a state; the other figures count what was.
    const isEmpty = () => {
      const { started, discarded, ...states } = pool.stats().processes;
      return Object.values(states).every((count) => count === 0);
    };
    const rest = async () => {
      while (!isEmpty()) await delay(20);
    };
    await rest();
    for (const maxTurns of [1, 2]) {
      await pool.complete("x", { ...options, maxTurns });
      await rest();
    }
    gc();
    await delay(20);
    gc();
    v8.writeHeapSnapshot(${JSON.stringify(snapshot)});
    const heap = readFileSync(${JSON.stringify(snapshot)}, "utf8");
    console.log(heap.split(parts.join("_")).length - 1);
    await pool.close();`;
}

describe("Pool with calls that have different credentials", () => {
  it("keeps no API key in memory when its processes are gone and others were used", async () => {
    const { cli } = await onFake();
    const snapshot = join(tmpdir(), `hawser-heap-${process.pid}.heapsnapshot`);
    try {
      const args = ["--expose-gc", "--input-type=module", "-e", heapProgram(cli.path, snapshot)];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      expect(stdout).toBe("0\n");
    } finally {
      await rm(snapshot, { force: true });
    }
  });

  it("warns its logger once", async () => {
    const { logger, entries } = recordingLogger();
    const { pool, options } = await onFake({ logger });
    for (const apiKey of ["sk-alice", "sk-alice"]) await pool.complete("x", { ...options, apiKey });
    expect(entries.filter(({ message }) => message === WARNING)).toEqual([]);
    for (const apiKey of ["sk-bob", "sk-carol"]) await pool.complete("x", { ...options, apiKey });
    const told = entries.filter(({ message }) => message === WARNING);
    expect(told).toEqual([expect.objectContaining({ level: "warn" })]);
    expect(JSON.stringify(told)).not.toMatch(/sk-(?:alice|bob|carol)/);
  });

  it.skipIf(process.platform !== "linux")(
    "is reported by hawser doctor as credential-mix",
    async () => {
      const { pool, cli, options } = await onFake();
      const mixesOfThis = async () =>
        (await findings(cli.path)).filter(
          ({ id, message }) => id === "credential-mix" && message.includes(`${process.pid} `),
        );
      await using _alice = await pool.openSession({ ...options, apiKey: "sk-alice" });
      await using _again = await pool.openSession({ ...options, apiKey: "sk-alice" });
      expect(await mixesOfThis()).toEqual([]);
      await using _bob = await pool.openSession({ ...options, oauthToken: "token-bob" });
      const [mix, ...others] = await mixesOfThis();
      expect(mix).toMatchObject({
        level: "warning",
        message: expect.stringContaining(
          `Program ${process.pid} runs CLIs with 2 different credentials under one user`,
        ),
      });
      expect(others).toEqual([]);
      expect(JSON.stringify(mix)).not.toMatch(/sk-alice|token-bob/);
    },
  );
});
