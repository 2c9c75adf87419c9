import { describe, expect, it } from "vitest";
import { isHawserError } from "../../src/base/index.js";
import {
  buildInvocation,
  explain,
  type Invocation,
  type Options,
  validateOptions,
} from "../../src/options/index.js";
import { right, NAMES as TABLE } from "../options/arbitrary-options.helper.js";
import { HOST, NEWEST } from "../options/facts.helper.js";
import { fc } from "../support/fc.js";
import { runs } from "../support/runs.js";
import { HOSTILE } from "./mutate.helper.js";

/** Built for each use, because some values change when they are read. */
const NASTY: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  NaN: () => Number.NaN,
  infinity: () => Number.NEGATIVE_INFINITY,
  bigint: () => 10n,
  symbol: () => Symbol("s"),
  NUL: () => "a\0b",
  "line break": () => "a\nb",
  flag: () => "--dangerously-skip-permissions",
  "lone surrogate": () => "\uD800",
  "long text": () => "x".repeat(200_000),
  "long list": () => Array.from({ length: 1_000 }, (_, n) => `item ${n}`),
  "sparse list": () => Object.assign([], { 5: "x" }),
  "list of NUL": () => ["a\0b"],
  "cyclic object": () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    return cyclic;
  },
  "cyclic list": () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    return cyclic;
  },
  "deep object": () => {
    let deep: unknown = 1;
    for (let n = 0; n < 10_000; n++) deep = { deep };
    return deep;
  },
  "deep list": () => {
    let deep: unknown = "x";
    for (let n = 0; n < 10_000; n++) deep = [deep];
    return deep;
  },
  hostile: () => HOSTILE,
  "list of hostile": () => [HOSTILE],
  "no prototype": () => Object.assign(Object.create(null), { a: 1 }),
  "getter that throws": () => ({
    get type() {
      throw new Error("read");
    },
  }),
  "toJSON that throws": () => ({
    toJSON: () => {
      throw new TypeError("json");
    },
  }),
  "proxy that throws": () =>
    new Proxy(
      {},
      {
        get: () => {
          throw new TypeError("get");
        },
        ownKeys: () => {
          throw new TypeError("ownKeys");
        },
        getPrototypeOf: () => {
          throw new TypeError("getPrototypeOf");
        },
      },
    ),
  "revoked proxy": () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  "proxy of everything": () => new Proxy(() => {}, { get: (_, key) => key, has: () => true }),
  date: () => new Date(Number.NaN),
  map: () => new Map([["a", 1]]),
  expression: () => /x/g,
  error: () => new Error("e"),
  class: () => class {},
  instance: () =>
    new (class Thing {
      readonly #hidden = 1;
      get value() {
        return this.#hidden;
      }
    })(),
  promise: () => Promise.resolve("x"),
  function: () => () => {
    throw new TypeError("called");
  },
  "buffer of bytes": () => Buffer.from("a\0b"),
};

/** All values, in every option. */
const CASES = TABLE.flatMap((name) => Object.keys(NASTY).map((kind) => [name, kind] as const));

function tried(options: unknown): Invocation | undefined {
  try {
    return buildInvocation(options as Options, NEWEST, HOST);
  } catch (error) {
    if (isHawserError(error)) return undefined;
    throw error;
  }
}

function expectSendable({ file, argv, env }: Invocation): void {
  for (const text of [file, ...argv, ...Object.keys(env), ...Object.values(env)]) {
    expect(typeof text).toBe("string");
    expect(text).not.toContain("\0");
  }
}

describe("options with any value in any option", () => {
  it("are accepted, or refused with a HawserError", () => {
    let taken = 0;
    for (const [name, kind] of CASES) {
      const options = { [name]: NASTY[kind]?.() };
      try {
        const invocation = tried(options);
        if (invocation !== undefined) {
          taken += 1;
          expectSendable(invocation);
        }
      } catch (error) {
        throw new Error(`${name} = ${kind}`, { cause: error });
      }
    }
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(CASES.length / 2);
  });

  it("are refused by the check with invalid_options only", () => {
    for (const [name, kind] of CASES) {
      try {
        validateOptions({ [name]: NASTY[kind]?.() } as Options);
      } catch (error) {
        expect([name, kind, isHawserError(error, "invalid_options")]).toEqual([name, kind, true]);
      }
    }
  });

  it("are explained, or refused with a HawserError", () => {
    for (const [name, kind] of CASES) {
      try {
        explain({ [name]: NASTY[kind]?.() } as Options, NEWEST, HOST);
      } catch (error) {
        expect([name, kind, isHawserError(error)]).toEqual([name, kind, true]);
      }
    }
  });

  it("do not affect valid options beside them, at any depth", () => {
    const nasty = fc.constantFrom(...Object.keys(NASTY));
    fc.assert(
      fc.property(right, nasty, fc.nat(), (options, kind, choice) => {
        const places = [...deepPlaces(options)];
        const place = places[choice % Math.max(1, places.length)];
        const copy = place === undefined ? options : put(options, place, NASTY[kind]?.());
        const invocation = tried(copy);
        if (invocation !== undefined) expectSendable(invocation);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe("options whose getters change their value", () => {
  const changing = (name: string, first: unknown, then: unknown): Options => {
    let reads = 0;
    return Object.defineProperty({}, name, {
      enumerable: true,
      get: () => (reads++ === 0 ? first : then),
    });
  };

  it.each(["model", "title", "cwd", "resume"])("never put a NUL into %s", (name) => {
    const invocation = tried(changing(name, "sonnet", "a\0b"));
    if (invocation !== undefined) expectSendable(invocation);
  });

  it.each(["tools", "betas", "additionalDirectories"])("never cause a TypeError by %s", (name) => {
    for (const then of [null, 7, [null], HOSTILE]) {
      const invocation = tried(changing(name, ["a"], then));
      if (invocation !== undefined) expectSendable(invocation);
    }
  });
});

describe("secret in any option that may hold one", () => {
  const secret = fc
    .string({ unit: fc.constantFrom(..."abcXYZ019-_./"), minLength: 12, maxLength: 40 })
    .map((text) => `s3cr3t${text}`);

  it("never becomes a command-line argument", () => {
    fc.assert(
      fc.property(right, secret, fc.constantFrom(...Object.keys(HOLDERS)), (base, key, holder) => {
        const invocation = tried({ ...base, ...HOLDERS[holder]?.(key) });
        if (invocation === undefined) return;
        expect(invocation.argv.filter((token) => token.includes(key))).toEqual([]);
        expect(invocation.file).not.toContain(key);
      }),
      { numRuns: runs(300) },
    );
  });
});

const HOLDERS: Readonly<Record<string, (secret: string) => object>> = {
  apiKey: (secret) => ({ apiKey: secret }),
  oauthToken: (secret) => ({ oauthToken: secret }),
  env: (secret) => ({ env: { MY_API_KEY: secret } }),
  header: (secret) => ({
    mcpServers: {
      a: {
        type: "http",
        url: "https://127.0.0.1/",
        headers: { Authorization: `Bearer ${secret}` },
      },
    },
  }),
  server: (secret) => ({ mcpServers: { a: { command: "x", env: { TOKEN: secret } } } }),
  settings: (secret) => ({ settings: { env: { ANTHROPIC_AUTH_TOKEN: secret } } }),
};

function* deepPlaces(value: unknown, at: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value !== "object" || value === null || at.length > 5) return;
  for (const [key, item] of Object.entries(value)) {
    yield [...at, key];
    yield* deepPlaces(item, [...at, key]);
  }
}

function put(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const inner = put(Reflect.get(value as object, key), rest, by);
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === key ? inner : item));
  return { ...(value as object), [key]: inner };
}
