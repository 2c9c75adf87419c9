import { HawserError } from "../base/index.js";

/** Throws `invalid_options` for unknown option names, which would otherwise be ignored silently. */
export function refuseUnknownOptions(
  caller: string,
  options: object,
  names: Readonly<Record<string, true>>,
): void {
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(names, name));
  if (unknown.length === 0) return;
  const known = Object.keys(names).join(", ");
  const verb = unknown.length === 1 ? "is not an option" : "are not options";
  throw new HawserError("invalid_options", `${unknown.join(" and ")} ${verb} of ${caller}.`, {
    hint: `${caller} accepts ${known}.`,
    issues: unknown.map((path) => ({ path, message: `is not an option of ${caller}` })),
  });
}
