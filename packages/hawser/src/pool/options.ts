import { availableParallelism } from "node:os";
import {
  closestName,
  guardLogger,
  HawserError,
  hostMask,
  type Issue,
  isHawserError,
  type Logger,
  omitUndefined,
} from "../base/index.js";
import { OPTION_TABLE, type Options, refuseOpenGuards, validateOptions } from "../options/index.js";
import type { PoolBudget } from "./admission/ledger.js";

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
        /**
         * Processes at most, those that serve included; 4, or two for each core, unless given. A full
         * pool has one more while it tries whether an executable confirms its resets again.
         */
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
  const [first] = issues;
  if (first !== undefined) {
    const more = issues.length === 1 ? "" : ` (and ${issues.length - 1} more)`;
    const message = `${first.path} ${first.message}${more}`.replace(/[^?]$/, "$&.");
    throw new HawserError("invalid_options", message, {
      hint: hintFor(first.path ?? ""),
      issues,
    });
  }
  const { size = {}, logger, ...rest } = omitUndefined(options);
  const cores = availableParallelism();
  const max = size.max ?? Math.max(4, 2 * cores, options.concurrency ?? 0, size.min ?? 0);
  const min = size.min ?? Math.min(1, max);
  const settings = { ...DEFAULTS, ...rest, min, max, concurrency: rest.concurrency ?? max };
  return { ...settings, starts: cores, log: guardLogger(logger, hostMask()) };
}

function hintFor(path: string): string {
  if (!Object.hasOwn(OPTION_TABLE, path) || path === "logger") return `Correct \`${path}\`.`;
  return `Give \`${path}\` to each call, and in \`warm\` to have processes ready for it.`;
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
  const issues: Issue[] = [...unknownNames(options, NAMES)];
  const check = (path: string, value: unknown, isFine: Check, must: string) => {
    if (value !== undefined && !isFine(value)) issues.push({ path, message: `must be ${must}` });
  };

  const { size, warm, budgetUsd, isolation, concurrency, logger } = options;
  check("size", size, isRecord, "an object with `min` and `max`");
  const { min, max, ...others } = isRecord(size) ? size : {};
  issues.push(...unknownNames(others, ["min", "max"], "size."));
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
  check("warm", warm, Array.isArray, "a list of options");
  check("budgetUsd", budgetUsd, isBudget, "dollars, or an object of them");
  if (logger !== undefined) issues.push(...OPTION_TABLE.logger.kind.problems(logger, "logger"));
  if (isBelow(max, min)) issues.push({ path: "size.min", message: "must not be above size.max" });
  if (isBelow(max, concurrency)) {
    issues.push({ path: "concurrency", message: "must not be above size.max" });
  }
  return [...issues, ...problemsInBudget(budgetUsd), ...problemsInWarm(warm)];
}

type Check = (value: unknown) => boolean;

const NAMES = [
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
] as const satisfies (keyof PoolOptions)[];

function unknownNames(given: object, names: readonly string[], prefix = ""): Issue[] {
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  return unknown.map((name) => {
    const near = closestName(name, names);
    const meant = near === undefined ? "" : `; did you mean ${prefix}${near}?`;
    return { path: `${prefix}${name}`, message: `is not an option of a pool${meant}` };
  });
}

function problemsInBudget(budget: unknown): Issue[] {
  if (!isRecord(budget)) return [];
  const { total, perTenant, tenants, ...others } = budget;
  const issues = unknownNames(others, ["total", "perTenant", "tenants"], "budgetUsd.");
  if (tenants !== undefined && !isRecord(tenants)) {
    issues.push({ path: "budgetUsd.tenants", message: "must be an object of dollars" });
  }
  const named = isRecord(tenants) ? Object.entries(tenants) : [];
  const limits = [
    ["budgetUsd.total", total] as const,
    ["budgetUsd.perTenant", perTenant] as const,
    ...named.map(([name, usd]) => [`budgetUsd.tenants[${JSON.stringify(name)}]`, usd] as const),
  ];
  const wrong = limits.filter(([, usd]) => usd !== undefined && !isDollars(usd));
  return [...issues, ...wrong.map(([path]) => ({ path, message: "must be dollars" }))];
}

/** What is wrong with them whatever the machine is like; the rest shows when they are used. */
function problemsInWarm(warm: unknown): Issue[] {
  if (!Array.isArray(warm)) return [];
  return warm.flatMap((options: Options, i) => {
    try {
      validateOptions(options);
      refuseOpenGuards(options);
      return [];
    } catch (error) {
      const issues = isHawserError(error) ? (error.issues ?? []) : [];
      return issues.map(({ path, message }) => ({ path: `warm[${i}].${path}`, message }));
    }
  });
}

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
  return typeof value === "number" && value >= 0;
}

function isBudget(value: unknown): boolean {
  return isRecord(value) || isDollars(value);
}
