import { hash } from "node:crypto";
import {
  CALLER_OPTIONS,
  encodeFields,
  type Options,
  validateCallerOptions,
} from "../options/index.js";

/**
 * Plans the options of a call, once for all calls of a pool with the same options: they are validated and
 * resolved for the first call only. The options that concern one call alone may differ, and are validated for
 * each. Options that hold a function or are very long, and calls without a pool, are planned each time.
 *
 * The options may hold secrets, so nothing of them is kept that a plan passes on unchanged. Each call passes on
 * its own.
 */
export function planOnce<Planned extends { readonly options: Options }>(
  caller: string,
  options: Options,
  plan: (caller: string, options: Options) => Planned,
): Planned {
  const { plans, key } = placeOf<Planned>(caller, options);
  if (plans === undefined || key === undefined) return plan(caller, options);
  const known = plans.get(key);
  if (known === undefined) {
    const planned = plan(caller, options);
    // The copy is for the next call, so this call does not wait for it.
    setImmediate(() => {
      // Another of many calls at once may have kept it already.
      if (plans.has(key)) return;
      const own = copyIfSame(caller, options, key);
      if (own !== undefined) keep(plans, key, keptOf(plan(caller, own), own));
    });
    return planned;
  }
  validateCallerOptions(options);
  // The plan that was used last comes last.
  keep(plans, key, known);
  const given = pick(options, known.passed);
  return {
    ...known.planned,
    options: { ...known.planned.options, ...given, ...ofCaller(options) },
  };
}

/** A plan, less the values that it passes on, and the names of their options. */
interface Kept<Planned> {
  readonly planned: Planned;
  readonly passed: readonly string[];
}

function keptOf<Planned extends { readonly options: Options }>(
  planned: Planned,
  given: Options,
): Kept<Planned> {
  const values: Readonly<Record<string, unknown>> = { ...given };
  const entries = Object.entries(planned.options);
  const isPassed = ([name, value]: [string, unknown]) =>
    Object.hasOwn(values, name) && value === values[name];
  const options = Object.fromEntries(entries.filter((entry) => !isPassed(entry)));
  return {
    planned: { ...planned, options },
    passed: entries.filter(isPassed).map(([name]) => name),
  };
}

function pick(options: Options, names: readonly string[]): Options {
  const values: Readonly<Record<string, unknown>> = { ...options };
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

interface Place<Planned> {
  readonly plans?: Map<string, Kept<Planned>> | undefined;
  readonly key?: string | undefined;
}

/** Where the plan of these options is kept. Empty if it cannot be kept. */
function placeOf<Planned>(caller: string, options: Options): Place<Planned> {
  try {
    const plans = plansOf(options.pool) as Place<Planned>["plans"];
    return plans === undefined ? {} : { plans, key: keyOf(caller, options) };
  } catch {
    // For example a getter that throws. The validation reports it.
    return {};
  }
}

/** The plans of each pool. A pool that is forgotten takes its plans along. */
const pools = new WeakMap<object, Map<string, unknown>>();

function plansOf(pool: unknown): Map<string, unknown> | undefined {
  if (typeof pool !== "object" || pool === null) return undefined;
  const plans = pools.get(pool) ?? new Map();
  pools.set(pool, plans);
  return plans;
}

function keep<Planned>(plans: Map<string, Kept<Planned>>, key: string, kept: Kept<Planned>): void {
  plans.delete(key);
  plans.set(key, kept);
  const [oldest] = plans.keys();
  if (plans.size > MOST && oldest !== undefined) plans.delete(oldest);
}

const MOST = 100;

/** A hash of all that a plan depends on. Undefined if the options cannot be compared. */
function keyOf(caller: string, options: Options): string | undefined {
  const { timeouts, maxRepairs, history } = options;
  const own = encodeFields(options, CALLER_OPTIONS);
  const limits = encodeFields({ timeouts, maxRepairs });
  // Some options contradict a history, whatever it contains.
  const length = Array.isArray(history) ? Math.min(history.length, 1) : typeof history;
  const isShort = own !== undefined && own.length <= LONGEST_OPTIONS;
  if (!isShort || !limits) return undefined;
  return hash("sha256", `${caller} ${length} ${limits}${own}`, "base64url");
}

/** To copy and to hash large options would take more time than to plan them. */
const LONGEST_OPTIONS = 65_536;

/** A copy of the options that a plan depends on. Undefined if the caller has changed them since they had this key. */
function copyIfSame(caller: string, options: Options, key: string): Options | undefined {
  try {
    const { timeouts, maxRepairs, history, pool } = options;
    const entries = Object.entries(options).filter(([name]) => !CALLER_OPTIONS.has(name));
    const own = structuredClone({ ...Object.fromEntries(entries), timeouts, maxRepairs });
    return keyOf(caller, { ...own, history }) === key ? { ...own, pool } : undefined;
  } catch {
    // There is a function in the options now, or a getter that throws.
    return undefined;
  }
}

/** The options of this call alone, without the signals, to which the call itself listens. */
function ofCaller({ signal: _, abortController: __, ...options }: Options): Options {
  const given = Object.entries(options).filter(
    ([name, value]) => value !== undefined && CALLER_OPTIONS.has(name),
  );
  return Object.fromEntries(given);
}
