import { HawserError, lazy } from "../../base/index.js";
import type { Options } from "../options.js";
import { pathsOfScope } from "../table/option-facts.js";

/** Throws `invalid_options` for options that only a pool can obey, if there is no pool. */
export function refuseWithoutPool(caller: string, options: Options): void {
  if (options.pool !== undefined) return;
  const used = poolOptions().filter((name) => isGiven(options, [name]));
  if (used.length === 0) return;
  const names = used.join(" and ");
  const verb = used.length === 1 ? "needs" : "need";
  throw new HawserError("invalid_options", `${names} ${verb} a pool in ${caller}.`, {
    hint: `Call pool.${caller}, pass a pool as \`pool\`, or leave ${names} out.`,
    issues: used.map((path) => ({ path, message: `has no effect in ${caller} without a pool` })),
  });
}

const poolOptions = lazy(() => pathsOfScope("pool"));

/**
 * Throws `not_supported` for given options, or fields of them, that have no effect in the called
 * function.
 */
export function refuseOptions(caller: string, options: Options, paths: readonly string[]): void {
  const used = paths.filter((path) => isGiven(options, path.split(".")));
  if (used.length === 0) return;
  throw new HawserError("not_supported", `${caller} does not support ${used.join(", ")}.`, {
    hint: `Leave ${used.map((path) => `\`${path}\``).join(" and ")} out.`,
    issues: used.map((path) => ({ path, message: `is not supported in ${caller}` })),
  });
}

function isGiven(options: object, names: readonly string[]): boolean {
  let value: unknown = options;
  for (const name of names) {
    if (typeof value !== "object" || value === null) return false;
    value = Reflect.get(value, name);
  }
  return value !== undefined;
}
