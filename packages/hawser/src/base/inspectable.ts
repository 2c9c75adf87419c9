import type { InspectOptions, inspect } from "node:util";
import { hostMask } from "./mask.js";

/**
 * Makes `console.log()` and `util.inspect()` show a few facts of each object of a class, and none of its
 * internals.
 */
export function inspectable<T extends object>(
  { prototype }: { readonly prototype: T },
  name: string,
  factsOf: (self: T) => object,
): void {
  Object.defineProperty(prototype, Symbol.for("nodejs.util.inspect.custom"), {
    configurable: true,
    writable: true,
    value(this: T, depth: number, options: InspectOptions, show: typeof inspect): string {
      if (depth < 0) return `[${name}]`;
      try {
        return `${name} ${show(factsOf(this), options)}`;
      } catch {
        return `[${name}]`; // A proxy of the object, or an object that inherits from it.
      }
    },
  });
}

/** The beginning of a text in one line, without secrets. */
export function excerptOf(text: string): string {
  const line = hostMask()(text.slice(0, MASKED_LENGTH)).replace(/\s+/g, " ").trim();
  const isCut = line.length > EXCERPT_LENGTH || text.length > MASKED_LENGTH;
  return isCut ? `${line.slice(0, EXCERPT_LENGTH)}…` : line;
}

const EXCERPT_LENGTH = 60;
/** Long enough to hold a whole secret that crosses the end of the excerpt, so that it is masked. */
const MASKED_LENGTH = 8192;
