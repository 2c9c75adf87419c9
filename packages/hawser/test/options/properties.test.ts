import { describe, expect, it } from "vitest";
import { type HawserError, isHawserError } from "../../src/base/index.js";
import {
  buildInvocation,
  type CliFacts,
  compareVersions,
  explain,
  type Invocation,
  type Options,
  validateOptions,
} from "../../src/options/index.js";
import { FULL } from "../support/cli.js";
import { fc } from "../support/fc.js";
import {
  cli,
  current,
  env,
  mixed,
  NAMES,
  right,
  textual,
  wrong,
} from "./arbitrary-options.helper.js";
import { HOST } from "./facts.helper.js";

/** A full run tries five times as many cases. */
function runsOf(full: number): number {
  return FULL ? full : Math.ceil(full / 5);
}

/** A property that most of its runs do not reach holds nothing. */
function countRuns(): { hit: () => void; expectAtLeast: (least: number) => void } {
  let hits = 0;
  return {
    hit: () => {
      hits++;
    },
    expectAtLeast: (least) => expect(hits).toBeGreaterThanOrEqual(least),
  };
}

type Outcome = { readonly invocation: Invocation } | { readonly error: HawserError };

/** Building an invocation either works or ends in our own error; any other throw is a failure. */
function outcome(options: unknown, facts: CliFacts, host = HOST): Outcome {
  try {
    return { invocation: buildInvocation(options as Options, facts, host) };
  } catch (error) {
    if (isHawserError(error)) return { error };
    throw error;
  }
}

function bytesOf({ file, argv }: Invocation): number {
  return [file, ...argv].reduce((sum, token) => sum + Buffer.byteLength(token) + 1, 0);
}

describe("buildInvocation() with random options", () => {
  it("returns an invocation or throws a HawserError", () => {
    fc.assert(
      fc.property(fc.oneof(right, wrong, mixed, textual), cli, env, (options, facts, variables) => {
        const result = outcome(options, facts, { ...HOST, env: variables });
        // Nothing in these throws when it is read, so this would be a fault of ours.
        if ("error" in result) expect(result.error.message).not.toMatch(/options cannot be read/i);
        else expect(bytesOf(result.invocation)).toBeLessThan(8192);
      }),
      { numRuns: runsOf(1000) },
    );
  });

  it("returns only strings and JSON that survives a round trip", () => {
    const runs = countRuns();
    fc.assert(
      fc.property(fc.oneof(right, mixed, textual), current, (options, facts) => {
        const result = outcome(options, facts);
        if ("error" in result) return;
        runs.hit();
        const { argv, env: variables, initialize, files } = result.invocation;
        const texts = [...argv, ...Object.values(variables), ...files.map((file) => file.contents)];
        expect(texts.filter((text) => typeof text !== "string")).toEqual([]);
        expect(argv.filter((text) => /[\0-\x1f\x7f]/.test(text))).toEqual([]);
        expect(JSON.parse(JSON.stringify(initialize))).toEqual(initialize);
      }),
      { numRuns: runsOf(500) },
    );
    runs.expectAtLeast(runsOf(50));
  });

  it("does not change the options", () => {
    const runs = countRuns();
    fc.assert(
      fc.property(fc.oneof(right, mixed), current, (options, facts) => {
        const frozen = deepFreeze(options);
        const before = shallow(options);
        if ("invocation" in outcome(frozen, facts, deepFreeze({ ...HOST }))) runs.hit();
        expect(shallow(options)).toEqual(before);
      }),
      { numRuns: runsOf(500) },
    );
    runs.expectAtLeast(runsOf(50));
  });

  it("returns the same invocation each time", () => {
    fc.assert(
      fc.property(right, current, (options, facts) => {
        expect(outcome(options, facts)).toEqual(outcome(options, facts));
      }),
      { numRuns: runsOf(200) },
    );
  });

  it("fails after validation only because of the CLI or the machine", () => {
    const runs = countRuns();
    const later = ["unsupported_by_cli", "argument_too_long", "nested_session", "root_refused"];
    fc.assert(
      fc.property(fc.oneof(right, mixed, textual), cli, (options, facts) => {
        try {
          validateOptions(options as Options);
        } catch {
          return; // Refused at once: nothing to hold here.
        }
        runs.hit();
        const result = outcome(options, facts);
        if (!("error" in result) || later.includes(result.error.code)) return;
        // What is left needs the disk: a settings file that is to be merged and was not read.
        expect(result.error.message).toContain("whose contents were not passed");
      }),
      { numRuns: runsOf(1000) },
    );
    runs.expectAtLeast(runsOf(100));
  });

  it("throws a HawserError for options whose getters throw", () => {
    const facts = { path: "/c", version: [2, 1, 325] } as const;
    const bomb = () => {
      throw new TypeError("boom");
    };
    for (const name of NAMES) {
      const outer = Object.defineProperty({}, name, { get: bomb, enumerable: true });
      const inner = { [name]: Object.defineProperty({}, "a", { get: bomb, enumerable: true }) };
      const json = { [name]: { toJSON: bomb, a: { description: "d", prompt: "p", toJSON: bomb } } };
      for (const options of [outer, inner, json]) outcome(options, facts);
      expect(outcome(outer, facts)).toMatchObject({ error: { code: "invalid_options" } });
    }
    expect(outcome(new Proxy({}, { ownKeys: bomb }), facts)).toMatchObject({
      error: { message: "options cannot be read." },
    });
  });
});

describe("a secret", () => {
  const CANARY = "canary-7Qx92";
  const secret = fc.string({ maxLength: 20 }).map((text) => `${CANARY}${text.replace(/\0/g, "")}`);
  const rule = fc.constantFrom("Read", "Bash(git *)", "mcp__a__b");

  const options = fc.record(
    {
      apiKey: fc.constant(CANARY),
      systemPrompt: secret,
      env: fc.record({ MY_TOKEN: secret, SOME_PASSWORD: secret }),
      mcpServers: fc.record({
        a: fc.record({
          command: fc.constant("x"),
          args: fc.array(secret),
          env: fc.dictionary(fc.string(), secret),
        }),
        b: fc.record({
          type: fc.constantFrom("http", "sse"),
          url: fc.constant(`https://u:${CANARY}@example.com/?token=${CANARY}`),
          headers: fc.dictionary(fc.string(), secret),
        }),
      }),
      settings: fc.record({ env: fc.dictionary(fc.string(), secret), apiKeyHelper: secret }),
      agents: fc.record({ a: fc.record({ description: secret, prompt: secret }) }),
      title: secret,
      planModeInstructions: secret,
      allowedTools: fc.array(rule),
    },
    { requiredKeys: ["env"] },
  );

  it("is never on the command line", () => {
    const runs = countRuns();
    fc.assert(
      fc.property(options, right, current, (given, other, facts) => {
        const { oauthToken: _, ...rest } = other;
        const result = outcome({ ...rest, ...given, onOldCli: "ignore" }, facts);
        if ("error" in result) {
          expect(JSON.stringify(result.error)).not.toContain(CANARY);
          return;
        }
        runs.hit();
        expect(result.invocation.argv.join("\n")).not.toContain(CANARY);
      }),
      { numRuns: runsOf(500) },
    );
    runs.expectAtLeast(runsOf(50));
  });

  it("is not in what explain() prints of the environment, files and servers", () => {
    const given = options.map(({ env: variables, mcpServers, settings, apiKey }) =>
      Object.fromEntries(
        Object.entries({ env: variables, mcpServers, settings, apiKey }).filter(
          ([, v]) => v !== undefined,
        ),
      ),
    );
    fc.assert(
      fc.property(given, (each) => {
        const facts = { path: "/c", version: [2, 1, 325] } as const;
        expect(explain(each as Options, facts, HOST)).not.toContain(CANARY);
      }),
      { numRuns: runsOf(200) },
    );
  });
});

describe("a long option", () => {
  const long = fc.integer({ min: 0, max: 3000 });

  it("stays off the command line, or is refused on a CLI that does not say whether rules arrived", () => {
    const reached = countRuns();
    fc.assert(
      fc.property(long, long, long, long, cli, (a, b, c, d, facts) => {
        const options: Options = {
          systemPrompt: "s".repeat(a * 100),
          allowedTools: Array.from({ length: b }, (_, i) => `mcp__server__tool_${i}`),
          disallowedTools: Array.from({ length: c }, (_, i) => `Bash(command-${i} *)`),
          additionalDirectories: Array.from({ length: d }, (_, i) => `/directory/number/${i}`),
          onOldCli: "ignore",
        };
        const result = outcome(options, facts);
        if ("error" in result) {
          // Rules that do not fit on the command line need a CLI that says whether they arrived.
          if (result.error.code !== "unsupported_by_cli") throw result.error;
          expect(compareVersions(facts.version ?? [9, 9, 9], [2, 1, 69])).toBeLessThan(0);
          return;
        }
        reached.hit();
        expect(bytesOf(result.invocation)).toBeLessThan(8192);
      }),
      { numRuns: runsOf(50) },
    );
    reached.expectAtLeast(runsOf(50) / 10);
  });
});

/** One level is enough: what is deeper is frozen, and a write to it throws. */
function shallow(options: object): Record<string, unknown> {
  return { ...options };
}

function deepFreeze<T>(value: T, seen = new Set<unknown>()): T {
  if (typeof value !== "object" || value === null || seen.has(value)) return value;
  if (ArrayBuffer.isView(value) || value instanceof AbortSignal) return value;
  seen.add(value);
  for (const key of Reflect.ownKeys(value)) {
    deepFreeze((value as Record<PropertyKey, unknown>)[key], seen);
  }
  return Object.freeze(value);
}
