import { availableParallelism } from "node:os";
import { guardLogger, HawserError, hostMask, type Issue, type Logger } from "../errors/index.js";
import { given, type Options } from "../options/index.js";
import type { PoolBudget } from "./ledger.js";

/**
 * What separates two callers. `process`: none has a process that another had. `conversation`: every
 * process is handed on after its conversation was reset, and what cannot be is refused. `auto`: as
 * `conversation` where that is safe, else as `process`.
 */
export type Isolation = "auto" | "process" | "conversation";

export interface PoolOptions {
  readonly size?:
    | {
        /** Idle processes that are kept for each set of options in use; 1 unless given. */
        readonly min?: number | undefined;
        /** Processes at most, those that serve included; 4, or two for each core, unless given. */
        readonly max?: number | undefined;
      }
    | undefined;
  /** Calls and sessions at once; `size.max` unless given. */
  readonly concurrency?: number | undefined;
  /** Callers that wait at most; 1,000 unless given. */
  readonly queueLimit?: number | undefined;
  /** How long a process that nobody needs is kept, in milliseconds; 5 minutes unless given. */
  readonly idleMs?: number | undefined;
  /** Calls that one process serves at most; 500 unless given. */
  readonly maxJobs?: number | undefined;
  /** Resident memory with which a process is no longer handed on, in MB; 600 unless given. */
  readonly maxRssMb?: number | undefined;
  /** How old a process may be to be handed on, in milliseconds; an hour unless given. */
  readonly maxAgeMs?: number | undefined;
  /** What separates two callers; `auto` unless given. */
  readonly isolation?: Isolation | undefined;
  /** Dollars that may be spent, by all and by each tenant; refused before a call. */
  readonly budgetUsd?: PoolBudget | undefined;
  /** Options of calls to come, for which processes are made ready ahead. */
  readonly warm?: readonly Options[] | undefined;
  /** Told what happens to the processes. */
  readonly logger?: Logger | undefined;
}

/** The same with every default in its place. */
export interface PoolSettings {
  readonly min: number;
  readonly max: number;
  readonly concurrency: number;
  readonly queueLimit: number;
  readonly idleMs: number;
  readonly maxJobs: number;
  readonly maxRssMb: number;
  readonly maxAgeMs: number;
  readonly isolation: Isolation;
  readonly budgetUsd: PoolBudget | undefined;
  readonly warm: readonly Options[];
  readonly log: Logger;
  /** Processes that may start at once in the background: a start keeps a core busy. */
  readonly starts: number;
}

export function settingsOf(options: PoolOptions): PoolSettings {
  const issues = problemsIn(options);
  if (issues.length > 0) {
    const [first] = issues;
    throw new HawserError("invalid_options", `${first?.path} ${first?.message}.`, { issues });
  }
  const { size = {}, logger, ...rest } = given(options);
  const cores = availableParallelism();
  const max = size.max ?? Math.max(4, 2 * cores, options.concurrency ?? 0, size.min ?? 0);
  const min = size.min ?? Math.min(1, max);
  const settings = { ...DEFAULTS, ...rest, min, max, concurrency: rest.concurrency ?? max };
  return { ...settings, starts: cores, log: guardLogger(logger, hostMask()) };
}

const DEFAULTS = {
  queueLimit: 1_000,
  idleMs: 5 * 60_000,
  maxJobs: 500,
  maxRssMb: 600,
  maxAgeMs: 60 * 60_000,
  isolation: "auto" as Isolation,
  budgetUsd: undefined,
  warm: [] as readonly Options[],
};

function problemsIn(options: unknown): Issue[] {
  if (!isRecord(options)) return [{ path: "options", message: "must be an object" }];
  const issues: Issue[] = [];
  const check = (
    path: string,
    value: unknown,
    isFine: (value: unknown) => boolean,
    must: string,
  ) => {
    if (value !== undefined && !isFine(value)) issues.push({ path, message: `must be ${must}` });
  };
  const unknown = Object.keys(options).filter((name) => !NAMES.has(name));
  for (const name of unknown) issues.push({ path: name, message: "is no option of a pool" });

  const { size, warm, budgetUsd, isolation, concurrency } = options;
  check("size", size, isRecord, "an object with `min` and `max`");
  const { min, max } = isRecord(size) ? size : {};
  check("size.min", min, isWhole(0), "a whole number of at least 0");
  check("size.max", max, isWhole(1), "a whole number of at least 1");
  for (const name of ["concurrency", "maxJobs"]) {
    check(name, options[name], isWhole(1), "a whole number of at least 1");
  }
  check("queueLimit", options["queueLimit"], isWhole(0), "a whole number of at least 0");
  for (const name of ["idleMs", "maxRssMb", "maxAgeMs"]) {
    check(name, options[name], isPositive, "a number above 0");
  }
  check("isolation", isolation, isIsolation, '"auto", "process" or "conversation"');
  check("warm", warm, (list) => Array.isArray(list) && list.every(isRecord), "a list of options");
  check("budgetUsd", budgetUsd, isBudget, "dollars, or an object of them");
  if (isBelow(max, min)) issues.push({ path: "size.min", message: "must not be above size.max" });
  if (isBelow(max, concurrency)) {
    issues.push({ path: "concurrency", message: "must not be above size.max" });
  }
  return issues;
}

const NAMES: ReadonlySet<string> = new Set([
  "size",
  "concurrency",
  "queueLimit",
  "idleMs",
  "maxJobs",
  "maxRssMb",
  "maxAgeMs",
  "isolation",
  "budgetUsd",
  "warm",
  "logger",
]);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isWhole(least: number): (value: unknown) => boolean {
  return (value) => Number.isSafeInteger(value) && (value as number) >= least;
}

function isPositive(value: unknown): boolean {
  return typeof value === "number" && value > 0;
}

function isIsolation(value: unknown): boolean {
  return value === "auto" || value === "process" || value === "conversation";
}

function isBelow(limit: unknown, value: unknown): boolean {
  return typeof limit === "number" && typeof value === "number" && value > limit;
}

function isDollars(value: unknown): boolean {
  return value === undefined || (typeof value === "number" && value >= 0);
}

function isBudget(value: unknown): boolean {
  if (!isRecord(value)) return isDollars(value);
  const { total, perTenant, tenants = {}, ...others } = value;
  const named = isRecord(tenants) ? Object.values(tenants) : [Number.NaN];
  return Object.keys(others).length === 0 && [total, perTenant, ...named].every(isDollars);
}
