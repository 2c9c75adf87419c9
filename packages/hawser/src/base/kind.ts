import { closestName } from "./closest-name.js";
import { isObject } from "./is-object.js";
import { LONGEST_TIMER_MS } from "./timeout.js";

/** One problem of an input, and what to do about it. */
export interface Problem {
  readonly path: string;
  readonly message: string;
  /** If it is absent, `hintOf()` says what can be said of every problem. */
  readonly hint?: string;
  /** Whether the field cannot be left out. */
  readonly isRequired?: boolean;
}

/** A problem with advice of its own. */
export interface AdvisedProblem extends Problem {
  readonly hint: string;
}

/** A kind of value, which finds the problems of a value that does not fit. */
export interface Kind {
  readonly name: string;
  problems(value: unknown, path: string): Iterable<Problem>;
}

export const string: Kind = typed("string");
export const boolean: Kind = typed("boolean");
export const callback: Kind = typed("function");

/** Text for a command-line argument. A line break or NUL in it is a mistake or an attack. */
export const argument: Kind = {
  name: "string",
  *problems(value, path) {
    yield* string.problems(value, path);
    if (typeof value !== "string") return;
    if (value === "") yield { path, message: "must not be empty", hint: `Leave \`${path}\` out.` };
    yield* controlCharacters(value, path);
  },
};

/** A path or name that never becomes an argument; Node refuses NUL in it. */
export const path: Kind = {
  name: "path",
  *problems(value, at) {
    yield* string.problems(value, at);
    if (value === "") yield { path: at, message: "must not be empty" };
    if (typeof value === "string" && value.includes("\0")) {
      yield { path: at, message: "must not contain NUL" };
    }
  },
};

export const uuid: Kind = {
  name: "uuid",
  *problems(value, path) {
    if (typeof value === "string" && isUuid(value)) return;
    yield { path, message: "must be a UUID", hint: `Use crypto.randomUUID() for \`${path}\`.` };
  },
};

/** Any object but an array. */
export const object: Kind = {
  name: "object",
  *problems(value, path) {
    if (!isObject(value)) yield notA("an object", value, path);
  },
};

/** An object that can be written as JSON. */
export const json: Kind = {
  name: "json",
  *problems(value, path) {
    yield* object.problems(value, path);
    const why = isObject(value) ? jsonProblem(value) : undefined;
    if (why !== undefined) yield { path, message: `must be JSON data: ${why}` };
  },
};

export function number(name: string, must: string, holds: (value: number) => boolean): Kind {
  return {
    name,
    *problems(value, path) {
      if (typeof value === "number" && holds(value)) return;
      const message = `must be ${must}, not ${shown(value)}`;
      // For example from an environment variable.
      const meant = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
      yield holds(meant)
        ? { path, message, hint: `Pass the number ${meant}, without quotes.` }
        : { path, message };
    },
  };
}

export const count: Kind = number("integer", "an integer of at least 1", (n) => isInteger(n, 1));
export const size: Kind = number("integer", "an integer of at least 0", (n) => isInteger(n, 0));
export const amount: Kind = number(
  "number",
  "a number greater than 0",
  (n) => n > 0 && Number.isFinite(n),
);
export const duration: Kind = number(
  "milliseconds",
  "a number of milliseconds of at least 0",
  (n) => n >= 0,
);
/** A pause that must end. Unlike a time limit, it cannot be `Infinity`. */
export const pause: Kind = number(
  "milliseconds",
  `a number of milliseconds from 0 to ${LONGEST_TIMER_MS}`,
  (n) => n >= 0 && n <= LONGEST_TIMER_MS,
);
export const rank: Kind = number("number", "a finite number", Number.isFinite);

export function oneOf(...values: readonly string[]): Kind {
  const list = values.map((value) => `"${value}"`).join(", ");
  return {
    name: "enum",
    *problems(value, path) {
      if (values.includes(value as string)) return;
      const near = typeof value === "string" ? closestName(value, values) : undefined;
      const message = `must be one of ${list}, not ${shown(value)}`;
      yield near === undefined ? { path, message } : { path, message, hint: `Use "${near}".` };
    },
  };
}

/** The problem of a value of another type. The value itself is not shown, because it may be a secret. */
export function notA(must: string, value: unknown, path: string, hint?: string): Problem {
  const message = `must be ${must}, not ${typeName(value)}`;
  return hint === undefined ? { path, message } : { path, message, hint };
}

/** What to do about a problem. */
export function hintOf({ path, message, hint, isRequired }: Problem): string {
  if (hint !== undefined) return hint;
  if (message === MISSING) return `Add \`${path}\`.`;
  return isRequired ? `Change \`${path}\`.` : `Change \`${path}\`, or leave it out.`;
}

const MISSING = "is missing";

/** The problem of a name that was probably meant to be `meant`. */
export function renamed(path: string, message: string, meant: string): Problem {
  return { path, message: `${message}; did you mean ${meant}?`, hint: `Use \`${meant}\`.` };
}

export function* controlCharacters(value: string, path: string): Iterable<Problem> {
  if (!CONTROL.test(value)) return;
  const message = "must not contain control characters";
  yield { path, message, hint: `Remove line breaks, tabs and NUL from \`${path}\`.` };
}

export function isString(value: unknown): value is string {
  return typeof value === "string";
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The path of a field, as it is written in code. */
export function at(path: string, key: string): string {
  if (!IDENTIFIER.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

export function jsonProblem(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) === undefined ? "it has no JSON form" : undefined;
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : "it cannot be read";
  }
}

const CONTROL = /[\0-\x1f\x7f]/;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function typed(name: "string" | "boolean" | "function"): Kind {
  return {
    name,
    *problems(value, path) {
      if (typeof value !== name) yield notA(`a ${name}`, value, path);
    },
  };
}

/** A value in a message. Call it only for a value that is no secret, such as a number or a fixed word. */
function shown(value: unknown): string {
  if (typeof value === "string" && value.length <= LONGEST_SHOWN) return JSON.stringify(value);
  return typeof value === "number" ? String(value) : typeName(value);
}

const LONGEST_SHOWN = 40;

function typeName(value: unknown): string {
  if (value === null || value === undefined || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function isInteger(value: number, least: number): boolean {
  return Number.isSafeInteger(value) && value >= least;
}

export function listOf(item: Kind, name: string = `${item.name}[]`): Kind {
  return {
    name,
    *problems(value, path) {
      if (!Array.isArray(value)) return yield notA("an array", value, path);
      for (const [i, each] of value.entries()) yield* item.problems(each, `${path}[${i}]`);
    },
  };
}

export function recordOf(item: Kind): Kind {
  return {
    name: `record of ${item.name}`,
    *problems(value, path) {
      if (!isObject(value)) return yield notA("an object", value, path);
      for (const [key, each] of Object.entries(value)) yield* item.problems(each, at(path, key));
    },
  };
}

/**
 * What happens to an unlisted field. `near` refuses it only if its name is close to a listed one.
 */
type Others = "pass" | "near" | "refuse";

/** An object whose listed fields are checked if they are present. `example` is for the error message. */
export function shape(
  fields: Readonly<Record<string, Kind>>,
  required: readonly string[] = [],
  others: Others = "pass",
  example?: string,
): Kind {
  const must = example === undefined ? "an object" : `an object such as ${example}`;
  const hint = (path: string) =>
    example === undefined ? undefined : `Write for example \`${path}: ${example}\`.`;
  return {
    name: "object",
    *problems(value, path) {
      if (!isObject(value)) return yield notA(must, value, path, hint(path));
      for (const [key, each] of Object.entries(fields)) {
        const field = value[key];
        const place = at(path, key);
        const isRequired = required.includes(key);
        if (field === undefined) {
          if (isRequired) yield { path: place, message: MISSING };
          continue;
        }
        for (const problem of each.problems(field, place)) {
          yield isRequired && problem.path === place ? { ...problem, isRequired } : problem;
        }
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
    const near = closestName(key, Object.keys(fields));
    if (near === undefined && others === "near") continue;
    const wrong = at(path, key);
    if (near === undefined) yield { path: wrong, message: "is not known", hint: "Leave it out." };
    else yield renamed(wrong, "is not known", at(path, near));
  }
}

/** The first kind whose test the value passes finds its problems. */
export function either(
  name: string,
  must: string,
  ...choices: readonly (readonly [fits: (value: unknown) => boolean, kind: Kind])[]
): Kind {
  return {
    name,
    *problems(value, path) {
      const choice = choices.find(([fits]) => fits(value));
      if (choice !== undefined) yield* choice[1].problems(value, path);
      // Another string may be one of the choices.
      else if (typeof value === "string") yield { path, message: `must be ${must}` };
      else yield notA(must, value, path);
    },
  };
}
