import type { Json } from "./samples.helper.js";

export type Path = readonly (string | number)[];

/** A placeholder for a value that JSON.stringify cannot write; lineOf() replaces it in the text. */
const HUGE = "@huge@";
const DEEP = "@deep@";
const MISSING = Symbol("missing");

/** An object that breaks code that takes it for text, a number, a promise, a list or a plain object. */
export const HOSTILE: unknown = JSON.parse(
  '{"toString":1,"valueOf":{},"toJSON":[],"then":1,"constructor":null,"length":-1,"map":0,"__proto__":{"polluted":true}}',
);

export const REPLACEMENTS: Readonly<Record<string, unknown>> = {
  null: null,
  number: -7,
  huge: HUGE,
  boolean: true,
  string: "text",
  empty: "",
  list: [null],
  object: {},
  hostile: HOSTILE,
  "list of hostile": [HOSTILE, 1, "x", [null]],
  deep: DEEP,
  missing: MISSING,
};

/** The path of every field in a value, without the value itself. Of a list only the first item counts. */
export function* placesIn(value: unknown, at: Path = []): Generator<Path> {
  if (typeof value !== "object" || value === null) return;
  const keys = Array.isArray(value) ? [...value.keys()].slice(0, 1) : Object.keys(value);
  for (const key of keys) {
    const path = [...at, key];
    yield path;
    yield* placesIn(Reflect.get(value, key), path);
  }
}

/** A copy with another value, or without a value, at one path. */
export function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined || typeof value !== "object" || value === null) return by;
  const inner = rest.length === 0 ? by : replaced(Reflect.get(value, key), rest, by);
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, at) => {
      if (at !== key) return [item];
      return inner === MISSING ? [] : [inner];
    });
  }
  const entries = Object.entries(value).map(([name, item]) => [name, name === key ? inner : item]);
  return Object.fromEntries(entries.filter(([, item]) => item !== MISSING));
}

const DEPTH = 10_000;
const DEEP_TEXT = `${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}`;

export function lineOf(message: unknown): string {
  const text = JSON.stringify(message);
  return text.replaceAll(`"${HUGE}"`, "1e999").replaceAll(`"${DEEP}"`, DEEP_TEXT);
}

export interface Mutation {
  readonly name: string;
  readonly message: Json;
}

/** One field of a message with every replacement. */
export function mutationsAt(message: Json, path: Path): Mutation[] {
  return Object.entries(REPLACEMENTS).map(([kind, value]) => ({
    name: `${titleOf(message)} ${path.join(".")} = ${kind}`,
    message: replaced(message, path, value) as Json,
  }));
}

export function titleOf(message: Json): string {
  const { type, subtype, event, request } = message as {
    readonly [field: string]: { readonly type?: string; readonly subtype?: string };
  };
  return [type, subtype, event?.type, request?.subtype].filter(Boolean).join("/");
}

/** One message of each kind, by its type and its fields. */
export function distinct(messages: readonly Json[]): Json[] {
  const byShape = new Map<string, Json>();
  for (const message of messages) {
    const shape = `${titleOf(message)} ${[...placesIn(message)].map((path) => path.join(".")).join()}`;
    if (!byShape.has(shape)) byShape.set(shape, message);
  }
  return [...byShape.values()];
}
