import { availableParallelism } from "node:os";
import {
  closestName,
  guardLogger,
  hostMask,
  isHawserError,
  isObject,
  type Kind,
  kind,
  type Logger,
  omitUndefined,
  type Problem,
  throwIfInvalid,
} from "../base/index.js";
import { OPTION_TABLE, type Options, refuseOpenGuards, validateOptions } from "../options/index.js";
import type { PoolBudget } from "./admission/ledger.js";

/**
 * What separates two callers. `process`: no call gets a process that has served another. `conversation`:
 * every process is handed on after its conversation was reset, and a call that rules this out is refused.
 * `auto`: like `conversation` where that is safe, otherwise like `process`.
 */
export type Isolation = "auto" | "process" | "conversation";

export interface PoolOptions {
  readonly size?:
    | {
        /** Idle processes that are kept for each set of options in use; 1 unless given. */
        readonly min?: number | undefined;
        /**
         * Processes at most, busy ones included; 4, or two for each core, unless given. A full pool has
         * one more while it tries whether an executable confirms its resets again.
         */
        readonly max?: number | undefined;
      }
    | undefined;
  /** Calls and sessions at once; `size.max` unless given. */
  readonly concurrency?: number | undefined;
  /** Callers that wait at most; 1,000 unless given. */
  readonly queueLimit?: number | undefined;
  /** How long a process that no call needs is kept, in milliseconds; 5 minutes unless given. */
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
  /** Gets log entries about the processes of the pool. */
  readonly logger?: Logger | undefined;
}

/** The options with every default filled in. */
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
  /** How many processes may start at once in the background: a start keeps a core busy. */
  readonly starts: number;
}

/** Throws `invalid_options` with all problems at once. */
export function settingsOf(options: PoolOptions): PoolSettings {
  throwIfInvalid(problemsIn(options));
  const { size = {}, logger, ...rest } = omitUndefined(options);
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

/** All that is wrong with the options, in a fixed order: the error's message is about the first one. */
function* problemsIn(options: unknown): Iterable<Problem> {
  if (!isObject(options)) return yield { path: "options", message: "must be an object" };
  yield* FIELDS.problems(options, "");
  const { size, concurrency, budgetUsd, warm } = options;
  const { min, max } = isObject(size) ? size : {};
  if (isAbove(min, max)) yield { path: "size.min", message: "must not be above size.max" };
  if (isAbove(concurrency, max)) {
    yield { path: "concurrency", message: "must not be above size.max" };
  }
  if (isObject(budgetUsd)) yield* problemsInBudget(budgetUsd);
  if (Array.isArray(warm)) yield* problemsInWarm(warm);
}

function* problemsInBudget(budget: Readonly<Record<string, unknown>>): Iterable<Problem> {
  yield* BUDGET.problems(budget, "budgetUsd");
  const { tenants } = budget;
  for (const [name, usd] of Object.entries(isObject(tenants) ? tenants : {})) {
    const path = `budgetUsd.tenants[${JSON.stringify(name)}]`;
    if (usd !== undefined) yield* DOLLARS.problems(usd, path);
  }
}

/** What is wrong on every machine. Whether the CLI is there shows when the options are used. */
function* problemsInWarm(warm: readonly Options[]): Iterable<Problem> {
  for (const [i, options] of warm.entries()) {
    try {
      validateOptions(options);
      refuseOpenGuards(options);
    } catch (error) {
      const issues = isHawserError(error) ? (error.issues ?? []) : [];
      yield* issues.map(({ path, message }) => ({ path: `warm[${i}].${path}`, message }));
    }
  }
}

/** An object that has these fields and no others. Unknown names are told first. */
function shapeOf(fields: Readonly<Record<string, Kind>>): Kind {
  const names = Object.keys(fields);
  return {
    name: "object",
    *problems(value, path) {
      if (!isObject(value)) return;
      const prefix = path === "" ? "" : `${path}.`;
      const unknown = Object.keys(value).filter((name) => !Object.hasOwn(fields, name));
      for (const name of unknown) yield unknownName(name, names, prefix);
      for (const [name, each] of Object.entries(fields)) {
        if (value[name] !== undefined) yield* each.problems(value[name], `${prefix}${name}`);
      }
    },
  };
}

function unknownName(name: string, names: readonly string[], prefix: string): Problem {
  const path = `${prefix}${name}`;
  const near = closestName(name, names);
  const meant = near === undefined ? "" : `; did you mean ${prefix}${near}?`;
  const message = `is not an option of a pool${meant}`;
  if (!Object.hasOwn(OPTION_TABLE, path)) return { path, message };
  const hint = `Give \`${path}\` to each call, and in \`warm\` to have processes ready for it.`;
  return { path, message, hint };
}

function mustBe(must: string, holds: (value: unknown) => boolean): Kind {
  return {
    name: must,
    *problems(value, path) {
      if (!holds(value)) yield { path, message: `must be ${must}` };
    },
  };
}

const COUNT = kind.number("integer", "a whole number of at least 1", (n) => isWhole(n, 1));
const COUNT_OR_0 = kind.number("integer", "a whole number of at least 0", (n) => isWhole(n, 0));
const POSITIVE = kind.number("number", "a number above 0", (n) => n > 0);
const DOLLARS = mustBe("dollars", isDollars);
const SIZE = shapeOf({ min: COUNT_OR_0, max: COUNT });
const ISOLATIONS: readonly unknown[] = ["auto", "process", "conversation"] satisfies Isolation[];

/** The amounts of `tenants` have other paths, see `problemsInBudget`. */
const BUDGET = shapeOf({
  tenants: mustBe("an object of dollars", isObject),
  total: DOLLARS,
  perTenant: DOLLARS,
});

const FIELDS = shapeOf({
  size: kind.either("object", "an object with `min` and `max`", [isObject, SIZE]),
  concurrency: COUNT,
  maxJobs: COUNT,
  queueLimit: COUNT_OR_0,
  idleMs: POSITIVE,
  maxRssMb: POSITIVE,
  maxAgeMs: POSITIVE,
  isolation: mustBe('"auto", "process" or "conversation"', (value) => ISOLATIONS.includes(value)),
  warm: mustBe("a list of options", Array.isArray),
  budgetUsd: mustBe(
    "dollars, or an object of them",
    (value) => isObject(value) || isDollars(value),
  ),
  logger: OPTION_TABLE.logger.kind,
} satisfies Record<keyof PoolOptions, Kind>);

function isWhole(value: number, least: number): boolean {
  return Number.isSafeInteger(value) && value >= least;
}

function isDollars(value: unknown): boolean {
  return typeof value === "number" && value >= 0;
}

function isAbove(value: unknown, limit: unknown): boolean {
  return typeof limit === "number" && typeof value === "number" && value > limit;
}
