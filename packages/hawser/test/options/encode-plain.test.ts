import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { encodePlain } from "../../src/options/encode-plain.js";
import { fc } from "../support/fc.js";

/** Few letters and short lists, so that equal values and texts that look alike are common. */
const names = fc.stringMatching(/^["{[:;0-2n]{0,3}$/);
const leaves = fc.oneof(names, fc.constantFrom(undefined, null, true, false, 0, 1, 12, 1.5));
const values = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    leaves,
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(names, tie("any"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;

describe("encodePlain()", () => {
  it("gives two values the same text exactly if they are equal, with their fields in the same order", () => {
    const orderedOf = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(orderedOf);
      if (typeof value !== "object" || value === null) return value;
      return Object.entries(value).map(([name, field]) => ({ name, field: orderedOf(field) }));
    };
    fc.assert(
      fc.property(values, values, (one, other) => {
        const areEqual =
          isDeepStrictEqual(one, other) && isDeepStrictEqual(orderedOf(one), orderedOf(other));
        expect(encodePlain(one) === encodePlain(other)).toBe(areEqual);
        expect(encodePlain(structuredClone(one))).toBe(encodePlain(one));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each<[string, unknown]>([
    ["a function", { a: [() => {}] }],
    ["an object of a class", { a: new Map() }],
    ["an object that inherits fields", { a: Object.create({ b: 1 }) }],
    ["a symbol", { a: Symbol("a") }],
    ["a bigint", [1n]],
  ])("gives no text for %s", (_, value) => {
    expect(encodePlain(value)).toBeUndefined();
  });

  it("gives no text for a structure that holds itself", () => {
    const knot: Record<string, unknown> = {};
    knot["self"] = [knot];
    expect(encodePlain(knot)).toBeUndefined();
  });
});
