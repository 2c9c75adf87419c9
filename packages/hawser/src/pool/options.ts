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
 * How calls are kept apart. `process`: no call gets a process that has served another call. `conversation`:
 * every process serves further calls after its conversation was reset, and a call whose options rule this out
 * is refused. `auto`: like `conversation` where that is safe, otherwise like `process`.
 */
export type Isolation = "auto" | "process" | "conversation";

/** The options of `createPool()`. All of them are optional. The options of a call go to the call itself. */
export interface PoolOptions {
  /** How many processes the pool keeps. */
  readonly size?:
    | {
        /**
         * Idle processes that are kept for each set of options in use.
         *
         * @default 1
         */
        readonly min?: number | undefined;
        /**
         * The largest number of processes, busy processes included. A full pool has one more while it tries
         * whether an executable confirms its resets again.
         *
         * @default the largest of 4, two for each core, `concurrency` and `size.min`
         */
        readonly max?: number | undefined;
      }
    | undefined;
  /**
   * The largest number of calls and sessions that run at once.
   *
   * @default `size.max`
   */
  readonly concurrency?: number | undefined;
  /**
   * The largest number of calls and sessions that wait. Beyond it they are refused with `pool_full`.
   *
   * @default 1000
   */
  readonly queueLimit?: number | undefined;
  /**
   * How long a process that no call needs is kept, in milliseconds.
   *
   * @default 300_000
   */
  readonly idleMs?: number | undefined;
  /**
   * The largest number of calls that one process serves.
   *
   * @default 500
   */
  readonly maxJobs?: number | undefined;
  /**
   * The resident memory, in MB, at which a process serves no further call.
   *
   * @default 600
   */
  readonly maxRssMb?: number | undefined;
  /**
   * How old a process may be, in milliseconds, to serve a further call.
   *
   * @default 3_600_000
   */
  readonly maxAgeMs?: number | undefined;
  /**
   * How calls are kept apart.
   *
   * @default "auto"
   */
  readonly isolation?: Isolation | undefined;
  /**
   * How many US dollars may be spent, in total and by each tenant. Once a budget is spent, a call is refused
   * before it starts.
   *
   * @default no limit
   */
  readonly budgetUsd?: PoolBudget | undefined;
  /**
   * Options of calls to come. The pool starts processes for them before the first call.
   *
   * @default []
   */
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
  /** How long a process that has answered is believed to answer the next call, in milliseconds. */
  readonly trustedMs: number;
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
  trustedMs: 10_000,
};

/** All that is wrong with the options, in a fixed order: the error's message is about the first one. */
function* problemsIn(options: unknown): Iterable<Problem> {
  if (!isObject(options)) return yield kind.notA("an object", options, "options");
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

/** Problems that exist on every machine. Whether the CLI is installed shows when the options are used. */
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

/** An object that has these fields and no others. Unknown names are reported first. */
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
  const message = "is not an option of a pool";
  if (near !== undefined) return kind.renamed(path, message, `${prefix}${near}`);
  if (Object.hasOwn(SIZES, path)) return { path, message, hint: `Use \`size: ${SIZES[path]}\`.` };
  if (!Object.hasOwn(OPTION_TABLE, path)) return { path, message, hint: OF_CALLS };
  const hint = `Pass \`${path}\` to each call, and in \`warm\` to have processes ready for it.`;
  return { path, message, hint };
}

/** Names that other pools have for the options in `size`. */
const SIZES: Readonly<Record<string, string>> = {
  max: "{ max: 4 }",
  maxSize: "{ max: 4 }",
  min: "{ min: 1 }",
  minSize: "{ min: 1 }",
};

const OF_CALLS = "Leave it out. Options of a call go to each call, and into `warm`.";

function mustBe(must: string, holds: (value: unknown) => boolean): Kind {
  return {
    name: must,
    *problems(value, path) {
      if (!holds(value)) yield kind.notA(must, value, path);
    },
  };
}

const COUNT = kind.number("integer", "a whole number of at least 1", (n) => isWhole(n, 1));
const COUNT_OR_0 = kind.number("integer", "a whole number of at least 0", (n) => isWhole(n, 0));
const POSITIVE = kind.number("number", "a number above 0", (n) => n > 0);
const DOLLARS = kind.number("number", "a number of US dollars of at least 0", (n) => n >= 0);
const SIZE = shapeOf({ min: COUNT_OR_0, max: COUNT });
const ISOLATIONS = ["auto", "process", "conversation"] satisfies Isolation[];

/** The amounts of `tenants` have other paths, see `problemsInBudget`. */
const BUDGET = shapeOf({
  tenants: mustBe("an object with an amount in US dollars for each tenant", isObject),
  total: DOLLARS,
  perTenant: DOLLARS,
});

const FIELDS = shapeOf({
  size: kind.either("object", "an object such as { max: 4 }", [isObject, SIZE]),
  concurrency: COUNT,
  maxJobs: COUNT,
  queueLimit: COUNT_OR_0,
  idleMs: POSITIVE,
  maxRssMb: POSITIVE,
  maxAgeMs: POSITIVE,
  isolation: kind.oneOf(...ISOLATIONS),
  warm: mustBe("an array with the options of calls to come, such as [{}]", Array.isArray),
  // What an object holds is checked by `problemsInBudget`.
  budgetUsd: kind.either(
    "number or object",
    "a number of US dollars, or an object with `total`, `perTenant` or `tenants`",
    [isObject, kind.object],
    [(value) => typeof value === "number", DOLLARS],
  ),
  logger: OPTION_TABLE.logger.kind,
} satisfies Record<keyof PoolOptions, Kind>);

function isWhole(value: number, least: number): boolean {
  return Number.isSafeInteger(value) && value >= least;
}

function isAbove(value: unknown, limit: unknown): boolean {
  return typeof limit === "number" && typeof value === "number" && value > limit;
}
