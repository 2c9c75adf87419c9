import { describe, expect, it, onTestFinished } from "vitest";
import { HawserError } from "../../src/base/index.js";
import { complete } from "../../src/complete/index.js";
import { parseVersion } from "../../src/options/index.js";
import { settingsOf } from "../../src/pool/options.js";
import { PoolCore } from "../../src/pool/pool-core.js";
import { ResetRecords } from "../../src/pool/reset-records.js";
import type { Prepared } from "../../src/process/index.js";
import { registerSource } from "../../src/session/index.js";
import type { FakeCli, Step } from "../../src/testing/index.js";
import { recordingLogger } from "../support/recording-logger.js";
import { reusedFake } from "../support/reused-fake.js";
import { startsOf } from "../support/starts.js";
import { atRest, onFake } from "./on-fake.helper.js";

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

/** A reset that has begun, and ends when the test calls confirm() or fail(). */
function begin(record: ReturnType<ResetRecords["of"]>, wasGivenUp = NOT_GIVEN_UP) {
  let confirm = () => {};
  let fail = () => {};
  const reset = new Promise<void>((resolve, reject) => {
    confirm = resolve;
    fail = () => reject(LATE);
  });
  const noted = record.note(reset, wasGivenUp);
  return {
    confirm: async () => {
      confirm();
      await noted;
    },
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

  it("tries a reset again after a growing pause, and lets no call wait for it", async () => {
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

  it.each(["confirmed", "failed", "given up"] as const)(
    "allows one trial at a time of an executable in doubt, until it is %s",
    async (end) => {
      const { all, clock } = records();
      const record = all.of(executable("2.1.325"));
      await fails(record);
      clock.ms += MINUTE_MS;
      let isGivenUp = false;
      const trial = begin(record, () => isGivenUp);
      expect(record).toMatchObject({ mayTry: false, mayBeAwaited: false });
      clock.ms += MINUTE_MS;
      expect(record.mayTry).toBe(false);
      isGivenUp = end === "given up";
      await (end === "confirmed" ? trial.confirm() : trial.fail());
      expect(record).toMatchObject({
        mayTry: end !== "failed",
        mayBeAwaited: end === "confirmed",
      });
    },
  );

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

describe("Pool with a CLI that does not confirm its first reset", () => {
  it("resets no further process, and warns the logger once", async () => {
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
    expect(stats.processes.discarded).toMatchObject({ not_recyclable: 3 });
    expect(entries.filter(({ level }) => level === "warn")).toMatchObject([
      { fields: { path: cli.path, reason: "reset_unconfirmed" } },
    ]);
  });

  it("does not wait for a health check after the failed reset", async () => {
    const { logger, entries } = recordingLogger();
    const { pool, options } = await onFake(
      { size: { min: 0, max: 2 }, logger },
      {
        steps: [
          { on: "clear", times: "always", do: [{ clear: { num_turns: 3 } }] },
          { on: "control", subtype: "get_binary_version", times: "always", do: [] },
        ],
      },
    );
    await pool.complete("x", options);
    const { processes } = await atRest(pool);
    expect(processes.discarded).toEqual({ reset_failed: 1 });
    expect(entries.map(({ fields }) => fields?.["detail"]).join()).toMatch(/num_turns: 3/);
  });
});

/** The executable does not confirm the reset of its first process. */
const DOUBTED: Step = { on: "clear", process: 1, do: [{ clear: { num_turns: 3 } }] };

/** A pool with room for one process, whose executables are in doubt and may be tried again. */
async function fullPool(...executables: readonly (readonly Step[])[]) {
  const clock = { ms: 0 };
  const settings = settingsOf({ size: { min: 0, max: 1 } });
  const core = new PoolCore(settings, new ResetRecords(settings.log, () => clock.ms));
  const pool = {};
  registerSource(pool, core);
  const clis = await Promise.all(
    executables.map((steps) => reusedFake({ steps: [DOUBTED, ...steps] })),
  );
  onTestFinished(() => core.close());
  /** Calls an executable, and returns the number of processes that the pool has afterwards. */
  const call = async (cli: FakeCli) => {
    await complete("x", { cliPath: cli.path, pool });
    const { starting, generic, initialized, recycled, serving, resetting } = core.stats().processes;
    return starting + generic + initialized + recycled + serving + resetting;
  };
  for (const cli of clis) {
    await call(cli);
    await atRest(core);
  }
  expect(core.stats().notRecycled).toHaveLength(clis.length);
  clock.ms += MINUTE_MS;
  return { core, clis, call };
}

/** How many resets the processes of this executable have received after the first one. */
async function trialsOf(cli: FakeCli): Promise<number> {
  const lines = (await startsOf(cli)).flatMap((each) => each.lines);
  return lines.filter((line) => line.includes("/clear")).length - 1;
}

describe("full Pool with a CLI in doubt", () => {
  it("recycles processes again after a successful trial, under constant load", async () => {
    const { core, clis, call } = await fullPool([]);
    const [cli] = clis as [FakeCli];
    // While the trial runs, each call starts a process of its own.
    for (let calls = 0; calls < 50 && core.stats().calls.by.recycled < 3; calls += 1) {
      await call(cli);
    }
    expect(core.stats()).toMatchObject({ calls: { by: { recycled: 3 } }, notRecycled: [] });
    const { processes } = await atRest(core);
    // The process that was on trial has freed its slot.
    expect(processes).toMatchObject({ recycled: 1, generic: 0, initialized: 0 });
  });

  it("lets no call wait for an unanswered trial, and makes one trial at a time", async () => {
    const { core, clis, call } = await fullPool([
      { on: "clear", process: 2, do: [{ hang: true }] },
    ]);
    const [cli] = clis as [FakeCli];
    for (let calls = 0; calls < 4; calls += 1) expect(await call(cli)).toBeLessThanOrEqual(2);
    const { calls, processes } = core.stats();
    expect(calls.by).toMatchObject({ cold: 5, recycled: 0 });
    expect(processes.discarded).not.toHaveProperty("evicted_for_call");
    expect(await trialsOf(cli)).toBe(1);
  });

  it("keeps one process above size.max for a trial, also with two CLIs in doubt", async () => {
    const hangs: Step = { on: "clear", process: 2, do: [{ hang: true }] };
    const { clis, call } = await fullPool([hangs], [hangs]);
    for (const cli of [...clis, ...clis, ...clis]) {
      expect(await call(cli)).toBeLessThanOrEqual(2);
    }
  });
});

it("Pool keeps recycling after one failed reset of a CLI that has confirmed a reset before", async () => {
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
