import { expect } from "vitest";
import { createPool, type PoolStats } from "../../src/pool/index.js";
import { locateCli, probeVersion } from "../../src/process/index.js";
import { always } from "../../src/testing/index.js";
import { recordingLogger } from "../support/recording-logger.js";
import { world } from "../support/world.js";
import { watched } from "./watched.helper.js";

export const CALLS: readonly string[] = ["word-zero", "word-one", "word-two", "word-three"];

/** The earlier CLIs are scripts that take seconds to start on a busy machine. */
export const LONG = { timeout: 300_000 };

/** On a busy machine an early CLI answers too late for a call, which then does not know the version. */
export async function versionOf(cliPath: string) {
  return (await probeVersion(locateCli({ cliPath }), { limitMs: 100_000 })).version;
}

/** Four calls, one after the other, with the same options. */
export async function fourCalls(cliPath: string) {
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

export type FourCalls = Awaited<ReturnType<typeof fourCalls>>;

/** Each call had a process of its own, none was reset, and the logger was warned once. */
export function expectNoReset(
  { stats, warnings, assigned, discarded, resets }: Omit<FourCalls, "asked">,
  { cliPath, version }: { readonly cliPath: string; readonly version: string },
): void {
  expect(new Set(assigned).size).toBe(CALLS.length);
  expect(resets).toEqual([]);
  const served = assigned.map((pid) => discarded.get(pid));
  expect(served).toEqual(CALLS.map(() => "not_recyclable"));
  expect(stats.calls.by.recycled).toBe(0);
  const notRecycled: PoolStats["notRecycled"] = [{ cliPath, version, reason: "old_version" }];
  expect(stats.notRecycled).toEqual(notRecycled);
  expect(warnings).toMatchObject([
    { level: "warn", fields: { path: cliPath, version, reason: "old_version" } },
  ]);
}
