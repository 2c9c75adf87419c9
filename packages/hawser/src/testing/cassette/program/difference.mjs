import { isObject } from "./json.mjs";

/** The first place where two JSON values differ. The order of keys does not matter. */
export function difference(recorded, given, path = "") {
  if (Object.is(recorded, given)) return undefined;
  if (Array.isArray(recorded) && Array.isArray(given)) {
    const length = Math.max(recorded.length, given.length);
    const indexes = Array.from({ length }, (_, index) => index);
    return first(indexes, (index) =>
      difference(recorded[index], given[index], `${path}[${index}]`),
    );
  }
  if (!isObject(recorded) || !isObject(given)) return { path, recorded, given };
  const keys = new Set([...Object.keys(recorded), ...Object.keys(given)]);
  return first(keys, (key) =>
    difference(recorded[key], given[key], path === "" ? key : `${path}.${key}`),
  );
}

/** Describes a difference, shortened for a person to read. */
export function describe({ path, recorded, given }) {
  return `${path === "" ? "it" : path} was ${show(recorded)} and is now ${show(given)}`;
}

function first(items, look) {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const LONGEST = 200;

function show(value) {
  return value === undefined ? "absent" : shorten(JSON.stringify(value));
}

export function shorten(text) {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
