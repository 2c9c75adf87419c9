import { describe, expect, it } from "vitest";
import type { Issue } from "../../src/base/index.js";
import { complete } from "../../src/complete/index.js";
import { SchemaDocument } from "../../src/schema/schema-document.js";
import { compileSchema } from "../../src/schema/validate/compile-schema.js";
import { matchCost } from "../../src/schema/validate/match-cost.js";
import { fakeCli } from "../../src/testing/index.js";
import { FULL } from "../support/cli.js";
import { fc } from "../support/fc.js";
import type { AnySchema } from "./arbitrary-schema.helper.js";

/** Takes exponential time on a text such as `HOPELESS`. */
const SLOW = "^([a-z]+)+$";
const HOPELESS = `${"a".repeat(200)}!`;
/** Longer than the limit of two seconds for all patterns, with room for a machine under load. */
const LIMIT_MS = 20_000;

async function issuesOf(schema: AnySchema, value: unknown): Promise<readonly Issue[]> {
  const made = compileSchema(new SchemaDocument(schema));
  if ("validate" in made) return made.validate(value);
  throw new Error(JSON.stringify(made.problems));
}

/** The number of timer ticks during the run, which shows that the event loop was not blocked. */
async function turnsDuring(run: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 10);
  await run();
  clearInterval(timer);
  return turns;
}

describe("a schema with a pattern that takes exponential time", () => {
  // Each match runs for the whole limit of two seconds.
  const others: [string, AnySchema, unknown, string][] = [
    ["pattern in items", { items: { pattern: SLOW } }, ["ok", HOPELESS], "[1]"],
    ["propertyNames", { propertyNames: { pattern: SLOW } }, { [HOPELESS]: 1 }, ""],
  ];

  it.each<[string, AnySchema, unknown, string]>([
    ["pattern", { properties: { a: { pattern: SLOW } } }, { a: HOPELESS }, "a"],
    [
      "patternProperties",
      { patternProperties: { [SLOW]: {} } },
      { [HOPELESS]: 1 },
      JSON.stringify([HOPELESS]),
    ],
    ...(FULL ? others : []),
  ])(
    "gives an issue within the limit and leaves the event loop free: %s",
    async (_, schema, value, path) => {
      let issues: readonly Issue[] = [];
      const turns = await turnsDuring(async () => {
        issues = await issuesOf(schema, value);
      });
      expect(issues).toEqual([
        {
          ...(path === "" ? {} : { path }),
          message: `takes too long to match the pattern ${SLOW}`,
        },
      ]);
      expect(turns).toBeGreaterThan(20);
    },
    LIMIT_MS,
  );

  it("is checked in another thread on a text that matches fast", async () => {
    const words = { items: { pattern: SLOW } };
    expect(await issuesOf(words, ["abc", "d"])).toEqual([]);
    expect(await issuesOf(words, ["abc", "D"])).toEqual([
      { path: "[1]", message: `must match the pattern ${SLOW}` },
    ]);
    const either = { anyOf: [{ pattern: "^(a+)+$" }, { pattern: "^(b+)+$" }] };
    expect(await issuesOf(either, "bbb")).toEqual([]);
    expect((await issuesOf(either, "bab")).length).toBeGreaterThan(0);
    const rest = { patternProperties: { "^(x+)+$": {} }, additionalProperties: false };
    expect(await issuesOf(rest, { xx: 1 })).toEqual([]);
    expect(await issuesOf(rest, { yy: 1 })).toEqual([{ path: "yy", message: "is not allowed" }]);
  });

  it(
    "makes complete() reject with structured_output, or with timeout if totalMs is shorter",
    async () => {
      const value = { email: HOPELESS };
      await using cli = await fakeCli({
        steps: [{ on: "user", times: "always", do: [{ turn: [{ value }] }] }],
      });
      const schema = { type: "object", properties: { email: { type: "string", pattern: SLOW } } };
      const options = { cliPath: cli.path, schema };
      await expect(complete("x", { ...options, maxRepairs: 0 })).rejects.toMatchObject({
        code: "structured_output",
        issues: [{ path: "email", message: expect.stringContaining("takes too long") }],
      });
      // Enough for a slow start, but less than the three attempts, which match for two seconds each.
      const short = complete("x", { ...options, timeouts: { totalMs: 4500 } });
      await expect(short).rejects.toMatchObject({ code: "timeout", phase: "total" });
      // The fake CLI answers a prompt with the value at once, so that a match was running.
      const lines = (await cli.recorded()).at(-1)?.lines ?? [];
      expect(lines.join()).toContain('"type":"user"');
    },
    3 * LIMIT_MS,
  );
});

describe("matchCost()", () => {
  it.each([
    ["^[A-Z]{2}\\d{4}$", 1000],
    ["^\\d{4}-\\d\\d-\\d\\d$", 100_000],
    ["^(?:AF|AL|DZ|AS|AD|AO|AI)$", 1000],
    ["^[a-z]+$", 100_000],
    ["^[\\w.]+@[\\w.]+$", 200],
    ["^https?://\\S+$", 10_000],
    ["\\p{L}", 10_000],
  ])("is low enough for %s to run in this thread on %i characters", (source, length) => {
    expect(matchCost(source, length)).toBeLessThan(20_000_000);
  });

  it.each([
    "^([a-z]+)+$",
    "^(a|a)*$",
    "^(a|ab)+$",
    "(x+x+)+y",
    "^(\\w+\\s?)*$",
    "^((a+))+$",
    "^(?:a?){30}a{30}$",
    "^(?<n>a*)*b",
    "^(?:(?=a+)a+)+$",
    "^([^,]*,)*x",
  ])("is infinite for %s, which runs in another thread", (source) => {
    expect(matchCost(source, 30)).toBe(Number.POSITIVE_INFINITY);
  });

  it.each(["[a-z]+!", "^.*.*x", "^\\d+\\d+$", "(a+)\\1b"])(
    "is too high for %s to run in this thread on a long text",
    (source) => {
      expect(matchCost(source, 10_000)).toBeGreaterThan(20_000_000);
    },
  );

  it.each(["a{1000}b", "(?:a{10}){100}b", "((?:aa){25}a{5}){20}b", "a{1000}?b"])(
    "counts the repetitions of %s",
    (source) => {
      expect(matchCost(source, 1_000_000)).toBeGreaterThan(500_000_000);
    },
  );

  it("is never low for a pattern that takes long on a text of few letters", () => {
    const few = fc.constantFrom("a", "b", "[ab]", ".", "\\w", "a?", "a*", "b+", "[ab]*", "a{1,3}");
    const many = fc.constantFrom("a{1000}", "[ab]{2000}", "(?:a{50}){50}", "a{1,1000}");
    const atom = fc.oneof({ weight: 3, arbitrary: few }, many);
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 3 },
        atom,
        fc.tuple(tie("pattern"), tie("pattern")).map((both) => both.join("")),
        fc.tuple(tie("pattern"), tie("pattern")).map((both) => `(?:${both.join("|")})`),
        fc
          .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,4}", "{500}"))
          .map(([inner, repeats]) => `(?:${inner})${repeats}`),
      ),
    }));
    const anchored = fc.tuple(fc.boolean(), pattern).map(([is, p]) => `${is ? "^" : ""}${p}!$`);
    const length = fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.constant(1_000_000));
    fc.assert(
      fc.property(anchored, length, (source, letters) => {
        if (matchCost(source, letters) > 20_000_000) return;
        const given = "a".repeat(letters);
        const begun = process.cpuUsage();
        new RegExp(source, "u").test(given);
        // Observed: below 100 ms. A match of exponential time would never end.
        expect(process.cpuUsage(begun).user / 1000).toBeLessThan(1000);
      }),
      { numRuns: FULL ? 500 : 150 },
    );
  });
});
