import { at, isObject, type Kind, type Problem } from "./kind.js";
import { nearest } from "./name.js";

export function listOf(item: Kind, name: string = `${item.name}[]`): Kind {
  return {
    name,
    *problems(value, path) {
      if (!Array.isArray(value)) return yield { path, message: "must be an array" };
      for (const [i, each] of value.entries()) yield* item.problems(each, `${path}[${i}]`);
    },
  };
}

export function recordOf(item: Kind): Kind {
  return {
    name: `record of ${item.name}`,
    *problems(value, path) {
      if (!isObject(value)) return yield { path, message: "must be an object" };
      for (const [key, each] of Object.entries(value)) yield* item.problems(each, at(path, key));
    },
  };
}

/** What becomes of a field that is not listed; `near` refuses only what looks like a listed one. */
type Others = "pass" | "near" | "refuse";

/** An object whose listed fields are checked where they are given. */
export function shape(
  fields: Readonly<Record<string, Kind>>,
  required: readonly string[] = [],
  others: Others = "pass",
): Kind {
  return {
    name: "object",
    *problems(value, path) {
      if (!isObject(value)) return yield { path, message: "must be an object" };
      for (const [key, kind] of Object.entries(fields)) {
        const field = value[key];
        if (field !== undefined) yield* kind.problems(field, at(path, key));
        else if (required.includes(key)) yield { path: at(path, key), message: "is missing" };
      }
      if (others !== "pass") yield* unlisted(value, fields, path, others);
    },
  };
}

function* unlisted(
  value: object,
  fields: Readonly<Record<string, Kind>>,
  path: string,
  others: Others,
): Iterable<Problem> {
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(fields, key)) continue;
    const near = nearest(key, Object.keys(fields));
    if (near === undefined && others === "near") continue;
    const hint = near === undefined ? "Leave it out." : `Did you mean \`${at(path, near)}\`?`;
    yield { path: at(path, key), message: "is not known", hint };
  }
}

/** The first kind whose test the value passes decides what is wrong with it. */
export function either(
  name: string,
  must: string,
  ...choices: readonly (readonly [fits: (value: unknown) => boolean, kind: Kind])[]
): Kind {
  return {
    name,
    *problems(value, path) {
      const choice = choices.find(([fits]) => fits(value));
      if (choice === undefined) yield { path, message: `must be ${must}` };
      else yield* choice[1].problems(value, path);
    },
  };
}
