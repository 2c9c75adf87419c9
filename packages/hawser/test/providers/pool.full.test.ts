import { describe, expect, it } from "vitest";
import { createPool } from "../../src/pool/index.js";
import { ClaudeCliProvider, ClaudeCodeProvider } from "../../src/providers/index.js";
import { toolUse } from "../../src/testing/index.js";
import { atRest, onFake, paidTurn, slowTurn } from "../pool/on-fake.helper.js";
import { clisInTurn } from "../support/cli.js";
import { until } from "../support/proc.js";
import { world } from "../support/world.js";
import { context } from "./omega.helper.js";

describe.each(clisInTurn())("providers with pool, on the real CLI $name", ({ path }) => {
  it("ClaudeCliProvider uses one process for several calls", async () => {
    const { model, options } = await world(path, ["Fine.", "```\nGood.\n```", "Fair."]);
    await using pool = createPool({ size: { max: 1 } });
    const reviewer = new ClaudeCliProvider("sonnet", { ...options, pool, tenant: "reviews" });
    const verdicts: string[] = [];
    for (const code of ["one", "two", "three"]) {
      verdicts.push(await reviewer.complete("You review code.", `Code ${code}.`));
      await atRest(pool);
    }
    expect(verdicts).toEqual(["Fine.", "Good.", "Fair."]);
    const { calls, spentUsdByTenant } = pool.stats();
    expect(calls.by).toMatchObject({ cold: 1, recycled: 2 });
    expect(Object.keys(spentUsdByTenant)).toEqual(["reviews"]);
    expect(model.calls.every(({ system }) => system.includes("You review code."))).toBe(true);
    expect(JSON.stringify(model.calls[2]?.body)).not.toContain("Code one.");
  });

  it("ClaudeCodeProvider runs tools, continues after its limit of turns, and resumes a session", async () => {
    const work = toolUse("Bash", { command: "echo done > it.txt", description: "d" });
    const { options } = await world(path, [["Step.", work], "All done.", "Gone on."]);
    const { cliPath, cwd: workingDir, env, inheritEnv } = options;
    await using pool = createPool();
    const provider = new ClaudeCodeProvider({
      cliPath,
      workingDir,
      env,
      inheritEnv,
      maxTurns: 1,
      pool,
    });
    const first = await provider.complete(context({ currentMessage: "Work." }));
    expect(first.text).toBe("All done.");
    const { sessionId } = first.metadata;
    const second = await provider.complete(context({ sessionId }));
    expect([second.text, second.metadata.sessionId]).toEqual(["Gone on.", sessionId]);
    const { calls } = await atRest(pool);
    expect(calls).toMatchObject({ succeeded: 2, by: { cold: 1, alone: 1 } });
  });
});

describe("providers with pool, on a fake CLI", () => {
  it("obey concurrency, queueLimit and budgetUsd of the pool", async () => {
    const { pool, cli } = await onFake(
      { concurrency: 1, queueLimit: 0, budgetUsd: { perTenant: 1 } },
      { steps: [{ on: "user", process: 1, do: paidTurn(1, 2_000) }] },
    );
    const cliPath = cli.path;
    const omega = new ClaudeCodeProvider({ cliPath, pool, tenant: "omega", priority: 1 });
    const magi = new ClaudeCliProvider("sonnet", { cliPath, pool });
    const answer = omega.complete(context());
    await until(() => pool.stats().calls.running === 1);
    await expect(magi.complete("s", "u")).rejects.toMatchObject({ code: "pool_full" });
    expect((await answer).text).toBe("ok");
    await expect(omega.complete(context())).rejects.toMatchObject({ code: "budget_refused" });
    expect(await magi.complete("s", "u")).toBe("ok");
    await pool.close();
    await expect(magi.complete("s", "u")).rejects.toMatchObject({ code: "pool_closed" });
  });

  it.each([
    ["ClaudeCliProvider", (options: object) => new ClaudeCliProvider("sonnet", options)],
    ["ClaudeCodeProvider", (options: object) => new ClaudeCodeProvider(options)],
  ])("%s refuses an invalid pool, and tenant without pool", async (_whose, make) => {
    const { options } = await onFake({}, { steps: [{ on: "user", do: slowTurn(1) }] });
    const call = (provider: ClaudeCliProvider | ClaudeCodeProvider) =>
      provider instanceof ClaudeCliProvider
        ? provider.complete("s", "u")
        : provider.complete(context());
    const refusal = async (more: object) => {
      try {
        return await call(make({ ...options, ...more }));
      } catch (error) {
        return error;
      }
    };
    expect(await refusal({ pool: {} })).toMatchObject({
      code: "invalid_options",
      issues: [{ path: "pool", message: "must come from createPool()" }],
    });
    expect(await refusal({ tenant: "a" })).toMatchObject({
      code: "invalid_options",
      issues: [{ path: "tenant" }],
    });
  });
});
