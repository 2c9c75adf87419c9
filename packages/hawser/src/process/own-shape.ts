import type { Readable } from "node:stream";

/** What the thing that an own spawn function returned lacks to be a process. */
export function lackOf(made: unknown): string | undefined {
  if (typeof made !== "object" || made === null) {
    return `it returned ${made === null ? "null" : typeof made}`;
  }
  if (has(made, ["then"])) return "it returned a promise, not the process itself";
  const lacks = ["kill", "on"].filter((name) => !has(made, [name]));
  if (!has(Reflect.get(made, "stdin"), ["write", "end", "on"])) lacks.push("stdin");
  if (!isReadable(Reflect.get(made, "stdout"))) lacks.push("stdout");
  return lacks.length === 0 ? undefined : `what it returned has no ${lacks.join(" and no ")}`;
}

/** Whether it has what is used of a stream here; streams of other libraries do. */
export function isReadable(thing: unknown): thing is Readable {
  return has(thing, ["on", "once", "off", "pause", "isPaused", "resume", "destroy"]);
}

function has(thing: unknown, methods: readonly string[]): boolean {
  if (typeof thing !== "object" || thing === null) return false;
  return methods.every((name) => typeof Reflect.get(thing, name) === "function");
}
