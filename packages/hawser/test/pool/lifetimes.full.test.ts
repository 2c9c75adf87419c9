import { describe, expect, it } from "vitest";
import type { Options } from "../../src/options/index.js";
import type { DiscardReason, PoolOptions } from "../../src/pool/index.js";
import { startsOf } from "../support/starts.js";
import { atRest, onFake, slowTurn, until } from "./on-fake.helper.js";

describe("Pool process", () => {
  it("serves one call after the other, with a reset between two calls", async () => {
    const { pool, options, cli } = await onFake({ size: { max: 1 } });
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      ids.push((await pool.complete("x", options)).sessionId);
      await atRest(pool);
    }
    expect(new Set(ids).size).toBe(5);
    expect(pool.stats()).toMatchObject({
      calls: { succeeded: 5, by: { cold: 1, recycled: 4 }, cold: 1, warm: 4 },
      processes: { started: 1, recycled: 1, discarded: {} },
    });
    const lines = (await startsOf(cli))[0]?.lines ?? [];
    expect(lines.filter((line) => line.includes("/clear")).length).toBe(5);
  });

  it("serves the next call after its reset, instead of a second process", async () => {
    const { pool, options } = await onFake(
      { size: { max: 2 } },
      { steps: [{ on: "clear", times: "always", do: [{ sleep: 20 }, { clear: {} }] }] },
    );
    for (let n = 0; n < 3; n += 1) await pool.complete("x", options);
    expect(pool.stats().calls.by).toMatchObject({ cold: 1, recycled: 2 });
  });

  it.each<[DiscardReason, PoolOptions]>([
    ["max_jobs", { maxJobs: 2 }],
    ["max_rss", { maxRssMb: 1 }],
    ["max_age", { maxAgeMs: 1 }],
  ])("is discarded for %s with %j", async (reason, limits) => {
    const { pool, options } = await onFake({ size: { max: 1, min: 0 }, ...limits });
    const everyTime = limits.maxJobs === undefined;
    for (let n = 0; n < (everyTime ? 2 : 4); n += 1) {
      expect((await pool.complete("x", options)).text).toBe("ok");
      await atRest(pool);
    }
    const { calls, processes } = pool.stats();
    expect(calls.by).toMatchObject(everyTime ? { cold: 2 } : { cold: 2, recycled: 2 });
    expect(processes.discarded).toEqual({ [reason]: 2 });
  });

  it("is discarded for idle after idleMs when it exceeds size.min", async () => {
    const { pool, options } = await onFake(
      { size: { min: 1, max: 4 }, idleMs: 300 },
      { steps: [{ on: "user", times: "always", do: slowTurn(50) }] },
    );
    await Promise.all([1, 2, 3].map(() => pool.complete("x", options)));
    const { processes } = await until(pool, ({ processes: { discarded } }) => {
      return (discarded.idle ?? 0) >= 2;
    });
    expect(Object.keys(processes.discarded)).toEqual(["idle"]);
    // In the end no process is kept for options that no call uses any more.
    await until(pool, ({ processes: { generic, recycled, starting, closing, initialized } }) => {
      return generic + recycled + starting + closing + initialized === 0;
    });
    expect((await pool.complete("x", options)).text).toBe("ok");
  });

  it("is replaced after maxAgeMs when it is a spare", async () => {
    const { pool } = await onFake((call) => ({ warm: [call], maxAgeMs: 500, idleMs: 200 }));
    const { processes } = await until(pool, ({ processes: { started } }) => started >= 3);
    expect(processes.discarded).toEqual({ max_age: 2 });
  });

  it("stays after idleMs when it was announced by `warm`", async () => {
    const { pool, options } = await onFake((call) => ({ warm: [call], idleMs: 100 }));
    await until(pool, ({ processes: { initialized } }) => initialized === 1);
    await pool.complete("x", { ...options, env: { OTHER: "1" } });
    const { processes } = await until(pool, ({ processes: { discarded } }) => {
      return (discarded.idle ?? 0) > 0;
    });
    expect(processes.initialized).toBe(1);
    expect(Object.keys(processes.discarded)).toEqual(["idle"]);
  });
});

describe('isolation: "process"', () => {
  it("never gives one process to two calls", async () => {
    const { pool, options, cli } = await onFake({ isolation: "process", size: { max: 2 } });
    for (let n = 0; n < 4; n += 1) await pool.complete("x", options);
    const { calls, processes } = await atRest(pool);
    expect(calls.by.recycled).toBe(0);
    expect(processes.discarded.not_recyclable).toBe(4);
    const lines = (await startsOf(cli)).map((each) => each.lines.join("\n"));
    expect(lines.some((each) => each.includes("/clear"))).toBe(false);
    expect(lines.every((each) => each.split('"type":"user"').length <= 2)).toBe(true);
  });
});

describe('isolation: "conversation"', () => {
  it("serves lean calls with one process", async () => {
    const { pool, options } = await onFake({ isolation: "conversation", size: { max: 1 } });
    const lean: Options = {
      ...options,
      systemPrompt: "You are one.",
      agents: { a: { description: "d", prompt: "p" } },
      maxTurns: 3,
      effort: "low",
    };
    for (let n = 0; n < 3; n += 1) expect((await pool.complete("x", lean)).text).toBe("ok");
    expect((await atRest(pool)).calls.by).toMatchObject({ cold: 1, recycled: 2 });
  });

  it.each<[string, Options]>([
    ["tools", { tools: ["Bash"] }],
    ["settingSources", { settingSources: ["user"] }],
    ["strictMcpConfig", { strictMcpConfig: false }],
    ["persistSession", { persistSession: true }],
    ["literalPrompt", { literalPrompt: false }],
    ["permissionMode", { permissionMode: "acceptEdits" }],
    ["mcpServers", { mcpServers: { s: { command: "x" } } }],
    ["allowedTools", { allowedTools: ["Read"] }],
    ["disallowedTools", { disallowedTools: ["Read"] }],
    ["hooks", { hooks: { Stop: [{ hooks: [async () => ({})] }] } }],
    ["additionalDirectories", { additionalDirectories: ["/tmp"] }],
    ["fallbackModel", { fallbackModel: "haiku" }],
    ["canUseTool", { canUseTool: async () => ({ behavior: "allow" }) }],
    ["settings", { settings: { model: "x" } }],
    ["extraArgs", { extraArgs: { x: null } }],
  ])("refuses %s with the reason", async (path, more) => {
    const { pool, options } = await onFake({ isolation: "conversation" });
    await expect(pool.complete("x", { ...options, ...more })).rejects.toMatchObject({
      code: "invalid_options",
      message: expect.stringContaining(path),
      hint: expect.stringContaining('isolation: "auto"'),
      issues: [{ path, message: expect.stringMatching(/\w+ \w+/) }],
    });
    expect(pool.stats().processes.started).toBe(0);
  });

  it("refuses sessions, and reports all reasons at once", async () => {
    const { pool, options } = await onFake({ isolation: "conversation" });
    await expect(pool.openSession(options)).rejects.toMatchObject({
      code: "invalid_options",
      issues: [{ path: "isolation", message: expect.stringContaining("session") }],
    });
    const call = pool.complete("x", { ...options, preset: "agent" });
    const { issues } = await call.catch((error) => error);
    expect(issues.map((issue: { path: string }) => issue.path).sort()).toEqual([
      "persistSession",
      "strictMcpConfig",
      "tools",
      "trustProject",
    ]);
  });
});
