import { createHash } from "node:crypto";
import { invalidOption } from "../accounting/invalid-option.js";

const HINT =
  "A run travels through the database. Functions, servers, keys and class instances belong into the worker's profile.";

/**
 * A copy of `value` that JSON keeps as it is, with the fields of objects in one order. Throws `invalid_options` for
 * everything else, because JSON would drop or change it without a word.
 */
export function plainCopy(value: unknown, path: string, parents: readonly object[] = []): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (Number.isFinite(value)) return value;
    throw invalidOption(path, `is ${value}, which JSON does not have`, "Use a finite number.");
  }
  if (typeof value !== "object") throw invalidOption(path, `is a ${typeof value}`, HINT);
  if (parents.includes(value)) throw invalidOption(path, "contains itself", HINT);
  const inside = [...parents, value];
  if (Array.isArray(value)) {
    return value.map((item, index) => plainCopy(item, `${path}[${index}]`, inside));
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw invalidOption(
      path,
      `is an instance of ${prototype.constructor?.name ?? "a class"}`,
      HINT,
    );
  }
  const names = Object.keys(value).sort();
  const fields = names.flatMap((name) => {
    const field = (value as Record<string, unknown>)[name];
    // A field that is undefined is a field that was not given, as everywhere in the options.
    return field === undefined
      ? []
      : [[name, plainCopy(field, `${path}.${name}`, inside)] as const];
  });
  return Object.fromEntries(fields);
}

/** A hash of plain data in one order of its fields. */
export function hashOf(plain: unknown): string {
  return createHash("sha256").update(JSON.stringify(plain)).digest("hex");
}
