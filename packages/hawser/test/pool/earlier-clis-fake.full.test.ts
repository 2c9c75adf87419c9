import { describe, expect, it } from "vitest";
import { parseVersion } from "../../src/options/index.js";
import { pingOf } from "../../src/pool/workers/check-health.js";
import { clisInTurn } from "../support/cli.js";
import { recordingLogger } from "../support/recording-logger.js";
import { CALLS, expectNoReset, fourCalls, LONG } from "./earlier-clis.helper.js";
import { onFake, until } from "./on-fake.helper.js";
import { watched } from "./watched.helper.js";

// earlier-clis.full.test.ts runs these on the real CLIs 2.0.77, 2.1.50 and 2.1.120.
describe("Pool on a fake CLI that claims version 2.1.120", () => {
  const version = "2.1.120 (Claude Code)";

  it("resets no process, and warns the logger once", async () => {
    const { logger, entries } = recordingLogger();
    const seen = watched();
    const { pool, options, prompts } = await onFake(
      { size: { min: 1, max: 4 }, logger },
      { version },
    );
    for (const word of CALLS) await pool.complete(word, options);
    // Each process has a record of its own, and a spare can begin before the process of an earlier call.
    expect([...(await prompts())].sort()).toEqual([...CALLS].sort());
    const stats = pool.stats();
    await pool.close();
    const warnings = entries.filter(({ message }) => message.includes("serves one call"));
    expectNoReset({ stats, warnings, ...seen }, { cliPath: options.cliPath ?? "", version });
  });

  it("starts initialized and generic spares that answer calls", async () => {
    const systemPrompt = "You tie.";
    const { pool, options } = await onFake(
      (call) => ({ size: { min: 1, max: 3 }, warm: [{ ...call, systemPrompt }] }),
      { version },
    );
    await pool.ready();
    await pool.complete("x", { ...options, systemPrompt });
    expect(pool.stats().calls.by).toMatchObject({ initialized: 1, cold: 0 });
    await pool.complete("x", { ...options, maxTurns: 3 });
    await until(pool, ({ processes: { generic } }) => generic === 1);
    await pool.complete("x", { ...options, maxTurns: 3 });
    expect(pool.stats().calls.by).toMatchObject({ generic: 1, cold: 1 });
  });
});

describe("pingOf()", () => {
  it.each([
    ["2.0.77", "mcp_status"],
    ["2.1.49", "mcp_status"],
    ["2.1.50", "get_binary_version"],
    ["2.1.120", "get_binary_version"],
  ])("asks a CLI of version %s for %s", (version, request) => {
    expect(pingOf(parseVersion(version))).toBe(request);
  });
});

describe.each(clisInTurn())("Pool on the real CLI $name", ({ path }) => {
  it("serves call after call with one process, which it resets", LONG, async () => {
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
