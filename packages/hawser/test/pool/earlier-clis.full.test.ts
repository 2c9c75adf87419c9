import { describe, expect, it, vi } from "vitest";
import type { Options } from "../../src/options/index.js";
import { createPool, type Pool, type PoolStats } from "../../src/pool/index.js";
import { checkHealth } from "../../src/pool/workers/check-health.js";
import { prepare, spawnCli } from "../../src/process/index.js";
import { always } from "../../src/testing/index.js";
import { earlierCli } from "../support/cli.js";
import { world } from "../support/world.js";
import { CALLS, expectNoReset, fourCalls, LONG, versionOf } from "./earlier-clis.helper.js";

async function until(pool: Pool, look: (stats: PoolStats) => boolean): Promise<void> {
  const wait = { timeout: 100_000, interval: 20 };
  await vi.waitFor(() => expect(look(pool.stats())).toBe(true), wait);
}

describe.each(["2.0.77", "2.1.50", "2.1.120"] as const)("Pool on the real CLI %s", (version) => {
  it("resets no process, and shows no call a word of another call", LONG, async () => {
    const cliPath = earlierCli(version);
    const { asked, ...rest } = await fourCalls(cliPath);
    expect(asked).toEqual(CALLS.map((word) => [word]));
    expectNoReset(rest, { cliPath, version: `${version} (Claude Code)` });
  });

  it("starts initialized and generic spares that answer calls", LONG, async () => {
    const cliPath = earlierCli(version);
    await versionOf(cliPath);
    const { options } = await world(cliPath, always("Hello."));
    const announced: Options = { ...options, systemPrompt: "You tie." };
    await using pool = createPool({ size: { min: 1, max: 3 }, warm: [announced] });
    await pool.ready();
    await pool.complete("x", announced);
    expect(pool.stats().calls.by).toMatchObject({ initialized: 1, cold: 0 });
    await pool.complete("x", { ...options, maxTurns: 3 });
    await until(pool, ({ processes: { generic } }) => generic === 1);
    await pool.complete("x", { ...options, maxTurns: 3 });
    expect(pool.stats().calls.by).toMatchObject({ generic: 1, cold: 1 });
  });

  it("gets an answer to the request of checkHealth()", LONG, async () => {
    const cliPath = earlierCli(version);
    const { options } = await world(cliPath, always("Hello."));
    await versionOf(cliPath);
    const prepared = await prepare(options);
    const process = await spawnCli(prepared);
    try {
      await checkHealth({ process, prepared }, 100_000);
    } finally {
      await process.kill();
    }
  });
});
