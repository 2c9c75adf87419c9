import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { RequestError } from "../../src/errors/request-error.js";
import { createKey, hashKey } from "../../src/tenants/api-key.js";
import { addKey, readKeys, removeKey } from "../../src/tenants/keys-file.js";
import { includesModel } from "../../src/tenants/model-rights.js";
import { DaySums, FileLedger } from "../../src/tenants/spending-ledger.js";
import { TenantLimits } from "../../src/tenants/tenant-limits.js";
import { type TenantPlan, TenantRegistry } from "../../src/tenants/tenant-registry.js";

const NOON = Date.parse("2026-11-17T12:00:00Z");
const USAGE = {
  input_tokens: 60,
  output_tokens: 30,
  cache_creation_input_tokens: 10,
  cache_read_input_tokens: 500,
};

function clock(): { now: () => number; pass: (ms: number) => void } {
  let ms = NOON;
  const pass = (more: number) => {
    ms += more;
  };
  return { now: () => ms, pass };
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "hawser-tenants-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

function refusal(run: () => unknown): RequestError {
  try {
    run();
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("TenantLimits", () => {
  it("permits requestsPerMinute at once, then one for each part of a minute", () => {
    const { now, pass } = clock();
    const limits = new TenantLimits("alice", { requestsPerMinute: 3 }, new DaySums(), now);
    expect([1, 2, 3].map(() => limits.admit().limits.requests?.remaining)).toEqual([2, 1, 0]);
    expect(refusal(() => limits.admit())).toMatchObject({
      code: "rate_limit_exceeded",
      retryAfterMs: 20_000,
    });
    pass(20_000);
    limits.admit();
    expect(refusal(() => limits.admit()).retryAfterMs).toBe(20_000);
    pass(600_000);
    expect(limits.state().requests).toEqual({ limit: 3, remaining: 3, resetsAt: now() });
  });

  it("counts tokens when they are known, without those read from the cache", () => {
    const { now, pass } = clock();
    const limits = new TenantLimits("alice", { tokensPerMinute: 120 }, new DaySums(), now);
    const first = limits.admit();
    const second = limits.admit();
    first.settle({ usage: USAGE, costUsd: undefined });
    expect(limits.state().tokens?.remaining).toBe(20);
    second.settle({ usage: USAGE, costUsd: undefined });
    // The bucket is 80 below zero, and refills by 2 a second.
    expect(refusal(() => limits.admit()).retryAfterMs).toBe(40_500);
    pass(40_500);
    limits.admit();
  });

  it("limits concurrency until requests are settled, each once", () => {
    const limits = new TenantLimits("alice", { concurrency: 1 }, new DaySums(), Date.now);
    const admission = limits.admit();
    expect(refusal(() => limits.admit()).code).toBe("rate_limit_exceeded");
    admission.settle();
    admission.settle();
    expect(limits.running).toBe(0);
    limits.admit();
  });

  it("refuses with insufficient_quota when usdPerDay is spent, until the next day of UTC", () => {
    const { now, pass } = clock();
    const limits = new TenantLimits("alice", { usdPerDay: 1 }, new DaySums(), now);
    limits.admit().settle({ usage: USAGE, costUsd: 0.6 });
    // The cost of an aborted stream is unknown: it counts as the dearest so far.
    limits.admit().settle({ usage: USAGE, costUsd: undefined });
    expect(refusal(() => limits.admit())).toMatchObject({
      code: "insufficient_quota",
      retryAfterMs: 12 * 3_600_000,
    });
    pass(12 * 3_600_000);
    limits.admit();
  });

  it("books a long answer that was cut off at its length, although an earlier request was cheap", () => {
    const ledger = new DaySums();
    const limits = new TenantLimits("alice", { usdPerDay: 1 }, ledger, () => NOON);
    limits.admit().settle({ usage: USAGE, costUsd: 0.000001 });
    const usage = { input_tokens: 0, output_tokens: 10_000 };
    limits.admit().settle({ usage, costUsd: undefined });
    expect(ledger.spent("alice", "2026-11-17")).toBeCloseTo(0.75);
  });

  it("books nothing for a request that never reached the model", () => {
    const ledger = new DaySums();
    const limits = new TenantLimits("alice", { usdPerDay: 1 }, ledger, () => NOON);
    limits.admit().settle({ usage: USAGE, costUsd: 0.6 });
    limits.admit().settle();
    expect(ledger.spent("alice", "2026-11-17")).toBe(0.6);
  });

  it("keeps what was used when the limits change", () => {
    const limits = new TenantLimits("alice", { requestsPerMinute: 5 }, new DaySums(), () => NOON);
    for (let i = 0; i < 4; i++) limits.admit();
    limits.change({ requestsPerMinute: 2 });
    expect(refusal(() => limits.admit()).code).toBe("rate_limit_exceeded");
  });
});

describe("FileLedger", () => {
  it("knows the spending of the day after a restart, although the last line is cut", () => {
    const path = join(folder(), "state");
    const fail = (error: unknown) => {
      throw error;
    };
    const before = new FileLedger(path, fail);
    before.add("alice", "2026-11-17", 0.25);
    before.add("alice", "2026-11-17", 0.5);
    before.add("bob", "2026-11-17", 1, true);
    const [name = ""] = readdirSync(path);
    const lines = readFileSync(join(path, name), "utf8").trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).isEstimate)).toEqual([undefined, undefined, true]);
    expect(statSync(join(path, name)).mode & 0o777).toBe(0o600);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    writeFileSync(join(path, name), '{"tenant":"alice","us', { flag: "a" });
    const after = new FileLedger(path, fail);
    expect(after.spent("alice", "2026-11-17")).toBe(0.75);
    expect(after.spent("alice", "2026-11-18")).toBe(0);
  });
});

describe("FileLedger with a file that cannot be read", () => {
  it("reports the error, and counts in memory", () => {
    const path = folder();
    mkdirSync(join(path, "spending-2026-11-17.jsonl"));
    const errors: unknown[] = [];
    const ledger = new FileLedger(path, (error) => errors.push(error));
    ledger.add("alice", "2026-11-17", 0.5);
    expect(ledger.spent("alice", "2026-11-17")).toBe(0.5);
    expect(errors.length).toBeGreaterThan(0);
  });
});

describe("the keys file", () => {
  it("holds hashes only, with mode 0600, and survives writers at the same time", async () => {
    const file = join(folder(), "keys.json");
    const created = await Promise.all(["a", "b", "c", "d"].map((tenant) => addKey(file, tenant)));
    const source = readFileSync(file, "utf8");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readKeys(file)).toHaveLength(4);
    for (const { key, sha256 } of created) {
      expect(source).not.toContain(key);
      expect(sha256).toBe(hashKey(key));
    }
    expect(readdirSync(join(file, ".."))).toEqual(["keys.json"]);
  });

  it("removes a key by its id", async () => {
    const file = join(folder(), "keys.json");
    const { id } = await addKey(file, "alice");
    expect((await removeKey(file, id))?.tenant).toBe("alice");
    expect(await removeKey(file, id)).toBeUndefined();
    expect(readKeys(file)).toEqual([]);
  });

  it("is refused if it is damaged", () => {
    const file = join(folder(), "keys.json");
    writeFileSync(file, '{"version":1,"keys":[{}]}');
    expect(() => readKeys(file)).toThrow("is damaged");
  });
});

describe("TenantRegistry", () => {
  const [first, second] = [createKey(), createKey()];
  const plan = (name: string): TenantPlan => ({
    name,
    options: {},
    isAdmin: false,
    canControl: true,
  });
  const registry = () =>
    new TenantRegistry(
      {
        tenants: [plan("alice"), plan("bob")],
        keys: [
          { tenant: "alice", sha256: hashKey(first) },
          { tenant: "bob", sha256: hashKey(second) },
        ],
        models: {},
      },
      new DaySums(),
    );

  it.each([
    ["x-api-key", { "x-api-key": first }, "alice"],
    ["Authorization: Bearer", { authorization: `Bearer ${second}` }, "bob"],
    [
      "a dummy x-api-key beside a bearer",
      { "x-api-key": "dummy", authorization: `bearer ${second}` },
      "bob",
    ],
  ])("finds the tenant by %s", (_, headers, name) => {
    expect(registry().authenticate(new Headers(headers)).name).toBe(name);
  });

  it.each([
    ["no key", {}, "needs a key"],
    ["a wrong key", { "x-api-key": `${first}x` }, "is not valid"],
    ["the hash of a key", { "x-api-key": hashKey(first) }, "is not valid"],
    ["another scheme", { authorization: `Basic ${first}` }, "needs a key"],
    ["a very long key", { "x-api-key": "x".repeat(9000) }, "is not valid"],
  ])("refuses %s with invalid_api_key", (_, headers, text) => {
    const error = refusal(() => registry().authenticate(new Headers(headers)));
    expect(error.code).toBe("invalid_api_key");
    expect(error.message).toContain(text);
    expect(error.message).not.toContain(first);
  });

  it("accepts every request as the only tenant if there are no keys", () => {
    const open = new TenantRegistry(
      { tenants: [plan("local")], keys: [], models: {} },
      new DaySums(),
    );
    expect(open.authenticate(new Headers({ "x-api-key": "dummy" })).name).toBe("local");
  });

  it("keeps counting when tenants and keys change", () => {
    const all = registry();
    const limited = { ...plan("alice"), requestsPerMinute: 1 };
    all.change({
      tenants: [limited],
      keys: [{ tenant: "alice", sha256: hashKey(second) }],
      models: {},
    });
    all.authenticate(new Headers({ "x-api-key": second })).admit();
    all.change({
      tenants: [limited],
      keys: [{ tenant: "alice", sha256: hashKey(first) }],
      models: {},
    });
    expect(refusal(() => all.authenticate(new Headers({ "x-api-key": second }))).code).toBe(
      "invalid_api_key",
    );
    const alice = all.authenticate(new Headers({ "x-api-key": first }));
    expect(refusal(() => alice.admit()).code).toBe("rate_limit_exceeded");
  });
});

describe("includesModel()", () => {
  const AGENT = "agent:helper";
  it.each([
    ["everything without lists", {}, "claude-x", "claude-x", true],
    ["agents without lists", {}, AGENT, AGENT, true],
    ["a listed model", { models: ["haiku"] }, "haiku", "haiku", true],
    ["no other model", { models: ["haiku"] }, "opus", "opus", false],
    ["a pattern", { models: ["claude-*"] }, "claude-haiku-5", "claude-haiku-5", true],
    ["no agent with a list of models", { models: ["*"] }, AGENT, AGENT, false],
    ["an agent that the models name in full", { models: [AGENT] }, AGENT, AGENT, true],
    ["a listed agent", { agents: ["helper"] }, AGENT, AGENT, true],
    ["no agent with an empty list", { agents: [] }, AGENT, AGENT, false],
    ["no agent behind another name", { agents: [] }, "gpt-5", AGENT, false],
    ["no agent behind a name that a pattern fits", { models: ["gpt-*"] }, "gpt-5", AGENT, false],
  ])("includes %s", (_, rights, name, target, isIncluded) => {
    expect(includesModel(rights, name, target)).toBe(isIncluded);
  });
});
