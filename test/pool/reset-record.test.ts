import { describe, expect, it } from "vitest";
import { HawserError } from "../../src/errors/index.js";
import { parseVersion } from "../../src/options/index.js";
import { ResetRecords } from "../../src/pool/reset-record.js";
import type { Prepared } from "../../src/process/index.js";
import { recordingLogger } from "../support/recording-logger.js";
import { startsOf } from "../support/starts.js";
import { atRest, onFake } from "./on-fake.js";

const PATH = "/opt/claude";
const LATE = new HawserError("timeout");
const MINUTE_MS = 60_000;

function executable(versionText: string): Prepared {
  const version = parseVersion(versionText);
  return { location: { path: PATH }, version, versionText } as unknown as Prepared;
}

function records() {
  const clock = { ms: 0 };
  const { logger, entries } = recordingLogger();
  const all = new ResetRecords(logger, () => clock.ms);
  const told = () => entries.map(({ level, fields }) => [level, fields?.["reason"]]);
  return { all, clock, told };
}

const NOT_GIVEN_UP = () => false;

async function confirms(record: ReturnType<ResetRecords["of"]>): Promise<void> {
  await record.note(Promise.resolve(), NOT_GIVEN_UP);
}

async function fails(record: ReturnType<ResetRecords["of"]>, error = LATE): Promise<void> {
  await expect(record.note(Promise.reject(error), NOT_GIVEN_UP)).rejects.toBe(error);
}

/** A reset that has begun, and ends when the test says so. */
function begin(record: ReturnType<ResetRecords["of"]>) {
  let fail = () => {};
  const reset = new Promise<void>((_, reject) => {
    fail = () => reject(LATE);
  });
  const noted = record.note(reset, NOT_GIVEN_UP);
  return {
    fail: async () => {
      fail();
      await expect(noted).rejects.toBe(LATE);
    },
  };
}

describe("ResetRecords", () => {
  it.each([
    ["2.0.77 (Claude Code)", "old_version"],
    ["2.1.120 (Claude Code)", "old_version"],
    ["2.1.196 (Claude Code)", "old_version"],
    ["no answer within 5000 ms", "unknown_version"],
  ])("allows no reset of the version %s", (version, reason) => {
    const { all, told } = records();
    expect(all.of(executable(version))).toMatchObject({ mayTry: false, mayBeAwaited: false });
    all.of(executable(version));
    expect(all.notRecycled()).toEqual([{ cliPath: PATH, version, reason }]);
    expect(told()).toEqual([["warn", reason]]);
  });

  it("tries again after a pause that grows, and lets no caller wait for that", async () => {
    const { all, clock, told } = records();
    const record = all.of(executable("2.1.325"));
    expect(record).toMatchObject({ mayTry: true, mayBeAwaited: true });
    for (const pauseMs of [MINUTE_MS, 2 * MINUTE_MS, 4 * MINUTE_MS]) {
      await fails(record);
      clock.ms += pauseMs - 1;
      expect(record).toMatchObject({ mayTry: false, mayBeAwaited: false });
      clock.ms += 1;
      expect(record).toMatchObject({ mayTry: true, mayBeAwaited: false });
    }
    expect(all.notRecycled()).toMatchObject([{ reason: "reset_unconfirmed" }]);
    expect(told()).toEqual([["warn", "reset_unconfirmed"]]);
    await confirms(record);
    expect(record).toMatchObject({ mayTry: true, mayBeAwaited: true });
    expect(all.notRecycled()).toEqual([]);
  });

  it("tolerates two failures in a row of an executable that has confirmed a reset", async () => {
    const { all, told } = records();
    const record = all.of(executable("2.1.325"));
    await confirms(record);
    for (let round = 0; round < 5; round += 1) {
      await fails(record);
      await fails(record);
      expect(record).toMatchObject({ mayTry: true, mayBeAwaited: true });
      await confirms(record);
    }
    expect(told()).toEqual([]);
    for (let failures = 0; failures < 3; failures += 1) await fails(record);
    expect(record).toMatchObject({ mayTry: false, mayBeAwaited: false });
  });

  it("counts resets that fail together as one failure, with the pause of one", async () => {
    const { all, clock } = records();
    const record = all.of(executable("2.1.325"));
    const resets = Array.from({ length: 8 }, () => begin(record));
    for (const { fail } of resets) {
      await fail();
      clock.ms += 1_000;
    }
    clock.ms = MINUTE_MS - 1;
    expect(record.mayTry).toBe(false);
    clock.ms = MINUTE_MS;
    expect(record.mayTry).toBe(true);
    await fails(record);
    clock.ms += 2 * MINUTE_MS - 1;
    expect(record.mayTry).toBe(false);
    clock.ms += 1;
    expect(record.mayTry).toBe(true);
  });

  it("tolerates two rounds of resets that fail together, and not a third", async () => {
    const { all } = records();
    const record = all.of(executable("2.1.325"));
    await confirms(record);
    for (const isTolerated of [true, true, false]) {
      const resets = Array.from({ length: 8 }, () => begin(record));
      await Promise.all(resets.map(({ fail }) => fail()));
      expect(record).toMatchObject({ mayTry: isTolerated, mayBeAwaited: isTolerated });
    }
  });

  it("does not count the failure of a reset that began before the last confirmation", async () => {
    const { all } = records();
    const record = all.of(executable("2.1.325"));
    const slow = Array.from({ length: 3 }, () => begin(record));
    await confirms(record);
    for (const { fail } of slow) await fail();
    await fails(record);
    await fails(record);
    expect(record).toMatchObject({ mayTry: true, mayBeAwaited: true });
  });

  it("counts neither a process that died nor a reset that the pool gave up", async () => {
    const { all } = records();
    const record = all.of(executable("2.1.325"));
    await fails(record, new HawserError("process_exited"));
    await expect(record.note(Promise.reject(LATE), () => true)).rejects.toBe(LATE);
    expect(record).toMatchObject({ mayTry: true, mayBeAwaited: true });
  });

  it("begins anew for another version at the same path", async () => {
    const { all } = records();
    await fails(all.of(executable("2.1.325")));
    expect(all.of(executable("2.1.325")).mayTry).toBe(false);
    expect(all.of(executable("2.1.326")).mayTry).toBe(true);
    expect(all.notRecycled()).toEqual([]);
  });
});

describe("a pool whose CLI does not confirm its first reset", () => {
  it("resets no process after it, and says so once", async () => {
    const { logger, entries } = recordingLogger();
    const { pool, cli, options } = await onFake(
      { size: { min: 0, max: 2 }, logger },
      { steps: [{ on: "clear", times: "always", do: [{ clear: { num_turns: 3 } }] }] },
    );
    for (let call = 0; call < 4; call += 1) {
      await pool.complete("x", options);
      await atRest(pool);
    }
    const clears = (await startsOf(cli)).flatMap(({ lines }) =>
      lines.filter((line) => line.includes("/clear")),
    );
    expect(clears).toHaveLength(1);
    const stats = pool.stats();
    expect(stats.calls.by).toMatchObject({ cold: 4, recycled: 0 });
    expect(stats.notRecycled).toMatchObject([{ cliPath: cli.path, reason: "reset_unconfirmed" }]);
    expect(stats.processes.discarded).toMatchObject({ "it had served": 3 });
    expect(entries.filter(({ level }) => level === "warn")).toMatchObject([
      { fields: { path: cli.path, reason: "reset_unconfirmed" } },
    ]);
  });

  it("does not wait for an answer of a CLI that has already failed to reset itself", async () => {
    const { pool, options } = await onFake(
      { size: { min: 0, max: 2 } },
      {
        steps: [
          { on: "clear", times: "always", do: [{ clear: { num_turns: 3 } }] },
          { on: "control", subtype: "get_binary_version", times: "always", do: [] },
        ],
      },
    );
    await pool.complete("x", options);
    const { processes } = await atRest(pool);
    expect(Object.keys(processes.discarded).join()).toMatch(/took 3 turns/);
  });
});

it("a pool whose CLI has confirmed a reset goes on after one that it has not", async () => {
  const { pool, options } = await onFake(
    { size: { min: 0, max: 1 } },
    {
      steps: [
        { on: "clear", process: 1, do: [{ default: true }] },
        { on: "clear", process: 1, do: [{ clear: { num_turns: 3 } }] },
      ],
    },
  );
  for (let call = 0; call < 4; call += 1) {
    await pool.complete("x", options);
    await atRest(pool);
  }
  const { calls, notRecycled } = pool.stats();
  // The second process takes the place of the first one, and is reset as well.
  expect(calls.by).toMatchObject({ cold: 2, recycled: 2 });
  expect(notRecycled).toEqual([]);
});
