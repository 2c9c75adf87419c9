import { describe, expect, it, vi } from "vitest";
import type { Options } from "../../src/options/index.js";
import { createPool, type Pool, type PoolStats } from "../../src/pool/index.js";
import { checkHealth } from "../../src/pool/workers/check-health.js";
import { locateCli, probeVersion } from "../../src/process/index.js";
import { openSession } from "../../src/session/index.js";
import { always } from "../../src/testing/index.js";
import { clisInTurn, earlierCli } from "../support/cli.js";
import { recordingLogger } from "../support/recording-logger.js";
import { world } from "../support/world.js";
import { watched } from "./watched.helper.js";

const CALLS = ["word-zero", "word-one", "word-two", "word-three"];

/** The earlier CLIs are scripts that take seconds to start on a busy machine. */
const LONG = { timeout: 300_000 };

/** On a busy machine, an early CLI says its version too late for a call, which then has none. */
async function versionOf(cliPath: string) {
  return (await probeVersion(locateCli({ cliPath }), { limitMs: 100_000 })).version;
}

/** Four calls, one after the other, with the same options. */
async function fourCalls(cliPath: string) {
  await versionOf(cliPath);
  const { model, options } = await world(cliPath, always("Hello."));
  const { logger, entries } = recordingLogger();
  const seen = watched();
  await using pool = createPool({ size: { min: 1, max: 4 }, logger });
  for (const word of CALLS) {
    expect((await pool.complete(word, options)).text).toBe("Hello.");
  }
  const stats = pool.stats();
  await pool.close();
  const asked = model.calls
    .map(({ body }) => CALLS.filter((word) => JSON.stringify(body).includes(word)))
    .filter((words) => words.length > 0);
  const warnings = entries.filter(({ message }) => message.includes("serves one call"));
  return { stats, warnings, asked, ...seen };
}

async function until(pool: Pool, look: (stats: PoolStats) => boolean): Promise<void> {
  const wait = { timeout: 100_000, interval: 20 };
  await vi.waitFor(() => expect(look(pool.stats())).toBe(true), wait);
}

describe.each(["2.0.77", "2.1.50", "2.1.120"] as const)("a pool of the CLI %s", (version) => {
  it("tries no reset, and hands no word to the next call", LONG, async () => {
    const cliPath = earlierCli(version);
    const { stats, warnings, asked, assigned, discarded, resets } = await fourCalls(cliPath);
    expect(asked).toEqual(CALLS.map((word) => [word]));
    expect(new Set(assigned).size).toBe(CALLS.length);
    expect(resets).toEqual([]);
    const served = assigned.map((pid) => discarded.get(pid));
    expect(served).toEqual(CALLS.map(() => "not_recyclable"));
    expect(stats.calls.by.recycled).toBe(0);
    const text = `${version} (Claude Code)`;
    expect(stats.notRecycled).toEqual([{ cliPath, version: text, reason: "old_version" }]);
    expect(warnings).toMatchObject([
      { level: "warn", fields: { path: cliPath, version: text, reason: "old_version" } },
    ]);
  });

  it("has spares that come up and answer", LONG, async () => {
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

  it("answers the question whether a process still listens", LONG, async () => {
    const cliPath = earlierCli(version);
    const { options } = await world(cliPath, always("Hello."));
    await using session = await openSession(options);
    await checkHealth(session, await versionOf(cliPath));
  });
});

describe.each(clisInTurn())("a pool of the CLI $name", ({ path }) => {
  it("serves call after call by one process that is reset", LONG, async () => {
    const { stats, warnings, asked, assigned, resets } = await fourCalls(path);
    expect(asked).toEqual(CALLS.map((word) => [word]));
    expect(new Set(assigned).size).toBe(1);
    expect(new Set(resets)).toEqual(new Set(assigned));
    expect(resets.length).toBeGreaterThanOrEqual(CALLS.length - 1);
    expect(stats.calls.by).toMatchObject({ cold: 1, recycled: CALLS.length - 1 });
    expect(stats.notRecycled).toEqual([]);
    expect(warnings).toEqual([]);
  });
});
