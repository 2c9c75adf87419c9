import { availableParallelism } from "node:os";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { HawserError } from "../../src/base/index.js";
import type { Options } from "../../src/options/index.js";
import { createPool, type PoolOptions } from "../../src/pool/index.js";
import { settingsOf } from "../../src/pool/options.js";
import { fakeCli } from "../../src/testing/index.js";
import { recordingLogger } from "../support/recording-logger.js";

function refusalOf(options: unknown): HawserError {
  try {
    createPool(options as PoolOptions);
  } catch (error) {
    return error as HawserError;
  }
  throw new Error("it was accepted");
}

/** The name or the number that was meant helps more than the path of the problem. */
function namedInHint(path: string, message: string): string {
  const [, name] = /option of a pool; did you mean ([\w.]+)\?/.exec(message) ?? [];
  const [, number] = /, not "(\d+)"$/.exec(message) ?? [];
  return number === undefined ? (name ?? path) : `the number ${number}, without quotes`;
}

const WHOLE = "must be a whole number of at least 1";
const WHOLE_OR_0 = "must be a whole number of at least 0";
const POSITIVE = "must be a number above 0";
const DOLLARS = "must be a number of US dollars of at least 0";
const BUDGET =
  "must be a number of US dollars, or an object with `total`, `perTenant` or `tenants`";

describe("createPool() with invalid options", () => {
  it.each<[string, string, unknown]>([
    ["options", "must be an object, not null", null],
    ["options", "must be an object, not an array", []],
    ["options", "must be an object, not a string", "pool"],
    ["size", "must be an object such as { max: 4 }, not a number", { size: 4 }],
    ["size", "must be an object such as { max: 4 }, not null", { size: null }],
    ["size.min", `${WHOLE_OR_0}, not -1`, { size: { min: -1 } }],
    ["size.min", `${WHOLE_OR_0}, not "1"`, { size: { min: "1" } }],
    ["size.max", `${WHOLE}, not 0`, { size: { max: 0 } }],
    ["size.max", `${WHOLE}, not 1.5`, { size: { max: 1.5 } }],
    ["size.max", `${WHOLE}, not Infinity`, { size: { max: Number.POSITIVE_INFINITY } }],
    ["size.min", "must not be above size.max", { size: { min: 3, max: 2 } }],
    ["size.Max", "is not an option of a pool; did you mean size.max?", { size: { Max: 3 } }],
    ["concurrency", `${WHOLE}, not 0`, { concurrency: 0 }],
    ["concurrency", `${WHOLE}, not NaN`, { concurrency: Number.NaN }],
    ["concurrency", "must not be above size.max", { concurrency: 3, size: { max: 2 } }],
    ["queueLimit", `${WHOLE_OR_0}, not -1`, { queueLimit: -1 }],
    ["queueLimit", `${WHOLE_OR_0}, not null`, { queueLimit: null }],
    ["maxJobs", `${WHOLE}, not 0`, { maxJobs: 0 }],
    ["idleMs", `${POSITIVE}, not 0`, { idleMs: 0 }],
    ["idleMs", `${POSITIVE}, not NaN`, { idleMs: Number.NaN }],
    ["maxRssMb", `${POSITIVE}, not -1`, { maxRssMb: -1 }],
    ["maxAgeMs", `${POSITIVE}, not "1h"`, { maxAgeMs: "1h" }],
    [
      "isolation",
      'must be one of "auto", "process", "conversation", not "none"',
      { isolation: "none" },
    ],
    ["logger", "must be an object, not a number", { logger: 7 }],
    ["budgetUsd", BUDGET, { budgetUsd: "10" }],
    ["budgetUsd", `${DOLLARS}, not -1`, { budgetUsd: -1 }],
    ["budgetUsd", `${DOLLARS}, not NaN`, { budgetUsd: Number.NaN }],
    ["budgetUsd.total", `${DOLLARS}, not "10"`, { budgetUsd: { total: "10" } }],
    ["budgetUsd.perTenant", `${DOLLARS}, not -1`, { budgetUsd: { perTenant: -1 } }],
    [
      "budgetUsd.tenants",
      "must be an object with an amount in US dollars for each tenant, not an array",
      { budgetUsd: { tenants: [1] } },
    ],
    [
      'budgetUsd.tenants["a b"]',
      `${DOLLARS}, not null`,
      { budgetUsd: { tenants: { "a b": null } } },
    ],
    [
      "budgetUsd.tenant",
      "is not an option of a pool; did you mean budgetUsd.tenants?",
      { budgetUsd: { tenant: {} } },
    ],
    [
      "warm",
      "must be an array with the options of calls to come, such as [{}], not an object",
      { warm: {} },
    ],
    ["warm[0].options", "must be an object, not a string", { warm: ["x"] }],
    [
      "warm[1].maxTurns",
      "must be an integer of at least 1, not 0",
      { warm: [{}, { maxTurns: 0 }] },
    ],
    ["warm[0].modle", "is not an option; did you mean model?", { warm: [{ modle: "x" }] }],
    ["maxjobs", "is not an option of a pool; did you mean maxJobs?", { maxjobs: 1 }],
    ["max_rss_mb", "is not an option of a pool; did you mean maxRssMb?", { max_rss_mb: 1 }],
    ["cliPath", "is not an option of a pool", { cliPath: "/claude" }],
  ])("throws invalid_options: %s %s", (path, message, options) => {
    const error = refusalOf(options);
    expect([error.code, error.issues]).toEqual(["invalid_options", [{ path, message }]]);
    expect(error.message).toContain(`${path} ${message}`);
    expect(error.hint).toContain(namedInHint(path, message));
  });

  it("says of an unknown option that options of a call go to the call", () => {
    expect(refusalOf({ defaults: { model: "sonnet" } }).hint).toContain("go to each call");
  });

  it("says where an option of calls belongs", () => {
    const hint = "Pass `cliPath` to each call, and in `warm` to have processes ready for it.";
    expect(refusalOf({ cliPath: "/claude" })).toMatchObject({ hint });
  });

  it("reports `warm` options that no call could have", () => {
    expect(refusalOf({ warm: [{ recover: true }] })).toMatchObject({
      code: "not_supported",
      issues: [{ path: "recover", message: "is not supported in createPool()" }],
    });
  });

  it("reports all issues at once", () => {
    const { issues, message } = refusalOf({ maxJobs: 0, idleMs: -5, warn: [] });
    expect(issues?.map(({ path }) => path)).toEqual(["warn", "maxJobs", "idleMs"]);
    expect(message).toMatch(/^warn .*did you mean warm\? \(and 2 more problems: see `issues`\)\.$/);
  });
});

describe("createPool() without options", () => {
  const { log: _, ...defaults } = settingsOf({});
  const most = Math.max(4, 2 * availableParallelism());

  it("has a default for each option", () => {
    expect(defaults).toEqual({
      min: 1,
      max: most,
      concurrency: most,
      queueLimit: 1000,
      idleMs: 300_000,
      maxJobs: 500,
      maxRssMb: 600,
      maxAgeMs: 3_600_000,
      isolation: "auto",
      budgetUsd: undefined,
      warm: [],
      starts: availableParallelism(),
      trustedMs: 10_000,
    });
  });

  it("uses the default for an option that is undefined", () => {
    const names = Object.keys({ ...defaults, size: 0, logger: 0 }).filter(
      (name) => !["min", "max", "starts", "trustedMs"].includes(name),
    );
    const { log: __, ...same } = settingsOf(Object.fromEntries(names.map((n) => [n, undefined])));
    expect(same).toEqual(defaults);
  });

  it.each<[PoolOptions, object]>([
    [{ size: { max: 2 } }, { min: 1, max: 2, concurrency: 2 }],
    [{ concurrency: 1 }, { min: 1, max: most, concurrency: 1 }],
    [{ concurrency: 50 }, { min: 1, max: 50, concurrency: 50 }],
    [{ size: { min: 60 } }, { min: 60, max: 60, concurrency: 60 }],
    [{ size: { min: 0 } }, { min: 0, max: most, concurrency: most }],
  ])("resolves %j to %j", (options, expected) => {
    expect(settingsOf(options)).toMatchObject(expected);
  });

  it("starts no process", async () => {
    await using pool = createPool();
    expect(pool.stats().processes).toMatchObject({ started: 0, starting: 0 });
  });
});

describe("Pool with `warm` options that cannot be started", () => {
  it("warns the logger, and starts the other spares", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    onTestFinished(() => void process.off("unhandledRejection", unhandled));
    const cli = await fakeCli();
    onTestFinished(() => cli.dispose());
    const { logger, entries } = recordingLogger();
    const bad: Options[] = [{ cliPath: "/none/claude" }, { cliPath: "/nope" }];
    const good: Options = { cliPath: cli.path, tenant: "a", priority: 2 };
    await using pool = createPool({ warm: [...bad, good], logger });
    await vi.waitFor(() => expect(pool.stats().processes.initialized).toBe(1), 15_000);
    const told = entries.filter(
      ({ message }) => message === "no process can be started for the options in `warm`",
    );
    expect(told.map(({ fields }) => String(fields?.["error"])).sort()).toEqual([
      expect.stringContaining("/none/claude"),
      expect.stringContaining("/nope"),
    ]);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
