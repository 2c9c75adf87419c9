import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { planOnce } from "../../src/complete/plan-cache.js";
import type { Options } from "../../src/options/index.js";

interface Planned {
  readonly options: Options;
}

/** A pool, and how often options were planned for it. Each plan holds its options. */
function counted(pool: unknown = {}) {
  const seen: Options[] = [];
  const plan = (_caller: string, options: Options): Planned => {
    seen.push(options);
    return { options };
  };
  return {
    /** Plans the options of a call, and returns once they may have been kept. */
    async plan(options: Options, caller = "complete()"): Promise<Options> {
      const planned = planOnce(caller, { ...options, pool } as Options, plan);
      await nextTurn();
      return planned.options;
    },
    /** How often the options were planned since the last look. */
    plans: () => seen.splice(0).length,
  };
}

/** The first call plans its options for itself, and once more for the calls that follow. */
const FIRST = 2;

describe("planOnce()", () => {
  it("plans the same options once for all calls of a pool", async () => {
    const { plan, plans } = counted();
    await plan({ model: "haiku", env: { A: "1" } });
    expect(plans()).toBe(FIRST);
    await plan({ model: "haiku", env: { A: "1" } });
    expect(plans()).toBe(0);
  });

  it.each([
    ["another value", { model: "sonnet" }],
    ["another value below", { model: "haiku", env: { A: "2" } }],
    ["other time limits", { model: "haiku", timeouts: { totalMs: 5 } }],
    ["another number of repairs", { model: "haiku", maxRepairs: 1 }],
    ["a history", { model: "haiku", history: [{ role: "user", content: "?" }] }],
  ] satisfies [string, Options][])("plans options with %s by themselves", async (_, others) => {
    const { plan, plans } = counted();
    await plan({ model: "haiku" });
    expect(plans()).toBe(FIRST);
    await plan(others);
    expect(plans()).toBe(FIRST);
  });

  it("plans the options of another function by themselves", async () => {
    const { plan, plans } = counted();
    await plan({ model: "haiku" });
    await plan({ model: "haiku" }, "stream()");
    expect(plans()).toBe(2 * FIRST);
  });

  it.each([
    ["a function", counted(), { canUseTool: async () => ({ behavior: "allow" }) }],
    ["no pool", counted(null), {}],
    ["a pool that is no object", counted("pool"), {}],
    ["a long system prompt", counted(), { systemPrompt: "x".repeat(70_000) }],
  ] as const)("plans options with %s for each call", async (_, { plan, plans }, options) => {
    for (let calls = 1; calls <= 3; calls += 1) {
      await plan(options as Options);
      expect(plans()).toBe(1);
    }
  });

  it("gives each call its own tenant, priority, logger and history, and no signal", async () => {
    const { plan, plans } = counted();
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const { signal } = new AbortController();
    await plan({ model: "haiku", history: [{ role: "user", content: "Which?" }] });
    plans();
    const own = { tenant: "acme", priority: 2, history: [{ role: "user", content: "This." }] };
    const options = { model: "haiku", ...own, logger, signal } as Options;
    expect(await plan(options)).toMatchObject({ model: "haiku", ...own, logger });
    expect(await plan(options)).not.toHaveProperty("signal");
    const others = await plan({ model: "haiku", history: [{ role: "user", content: "That." }] });
    expect(others).not.toHaveProperty("tenant");
    expect(others).not.toHaveProperty("logger");
    expect(plans()).toBe(0);
  });

  it("throws invalid_options for a wrong option of one call", async () => {
    const { plan } = counted();
    await plan({ model: "haiku" });
    const wrong = { model: "haiku", tenant: 5 } as unknown as Options;
    await expect(plan(wrong)).rejects.toMatchObject({
      code: "invalid_options",
      issues: [{ path: "tenant" }],
    });
  });

  it("keeps a copy, so that a caller who changes its options changes no plan", async () => {
    const { plan, plans } = counted();
    const env: Record<string, string> = { A: "1" };
    await plan({ env });
    env["A"] = "2";
    expect(await plan({ env: { A: "1" } })).toMatchObject({ env: { A: "1" } });
    expect(plans()).toBe(FIRST);
  });

  it("keeps no value that a plan passes on: each call passes on its own", async () => {
    const { plan, plans } = counted();
    await plan({ apiKey: "secret", env: { TOKEN: "secret" } });
    plans();
    const env = { TOKEN: "secret" };
    expect((await plan({ apiKey: "secret", env })).env).toBe(env);
    expect(plans()).toBe(0);
  });

  it("keeps no plan of options that were changed before it could copy them", async () => {
    const { plan, plans } = counted();
    const env: Record<string, string> = { A: "1" };
    const planned = plan({ env });
    Object.assign(env, { A: () => "2" });
    await planned;
    expect(plans()).toBe(1);
    await plan({ env: { A: "1" } });
    expect(plans()).toBe(FIRST);
  });

  it("leaves options that cannot be read to the validation", () => {
    const options = {
      pool: {},
      get model(): string {
        throw new TypeError("unreadable");
      },
    } as unknown as Options;
    const planned = { options: {} };
    expect(planOnce("complete()", options, () => planned)).toBe(planned);
  });

  it("copies the options of many calls at once a single time", async () => {
    const { plan, plans } = counted();
    await Promise.all([1, 2, 3, 4].map(() => plan({ model: "haiku" })));
    expect(plans()).toBe(5);
  });

  it("keeps the plans that were used last", async () => {
    const { plan, plans } = counted();
    for (let maxTurns = 1; maxTurns <= 100; maxTurns += 1) await plan({ maxTurns });
    await plan({ maxTurns: 1 });
    await plan({ maxTurns: 101 });
    plans();
    await plan({ maxTurns: 1 });
    expect(plans()).toBe(0);
    await plan({ maxTurns: 2 });
    expect(plans()).toBe(FIRST);
  });
});
