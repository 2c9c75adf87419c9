import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readAccounts } from "../../src/accounting/read-accounts.js";
import type { Claim } from "../../src/runs/claims.js";
import { createRunWorld, doneWith, type RunProgram, type RunWorld } from "../support/run-world.js";

let world: RunWorld;
let program: RunProgram;
beforeAll(async () => {
  world = await createRunWorld();
  program = await world.open();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const newName = (kind: string) => `${kind}-${randomUUID()}`;
const claimFrom = (queue: string, by: RunProgram = program) =>
  by.claims.claim({ host: "a", queues: [queue] });
const settle = (claim: Claim | undefined) => {
  if (claim === undefined) throw new Error("nothing was claimed");
  return program.claims.settle(claim, doneWith("done"));
};

describe("limits over the fleet", () => {
  it("of a tenant are exact when four programs claim at once", async () => {
    const [queue, tenant] = [newName("queue"), newName("tenant")];
    await program.tenants.set(tenant, { concurrency: 3 });
    const programs = [program, await world.open(), await world.open(), await world.open()];
    for (let index = 0; index < 12; index++) await program.submit({ queue, tenant });
    const served = [];
    for (let round = 0; round < 4; round++) {
      // Each program asks for several at once.
      const answers = await Promise.all(
        [...programs, ...programs].map((by) => claimFrom(queue, by)),
      );
      const claims = answers.filter((claim) => claim !== undefined);
      expect(claims).toHaveLength(3);
      for (const claim of claims) await settle(claim);
      served.push(...claims.map(({ run }) => run.id));
    }
    expect(new Set(served).size).toBe(12);
  });

  it("of an account hold for all its tenants together", async () => {
    const [queue, account] = [newName("queue"), newName("account")];
    const tenants = [newName("tenant"), newName("tenant"), newName("tenant")];
    await program.tenants.setAccount(account, { concurrency: 2 });
    for (const tenant of tenants) {
      await program.tenants.set(tenant, { account });
      await program.submit({ queue, tenant });
    }
    const free = await program.submit({ queue, tenant: newName("tenant") });
    const claims = [await claimFrom(queue), await claimFrom(queue), await claimFrom(queue)];
    expect(claims.filter((claim) => claim?.account === account)).toHaveLength(2);
    expect(claims.map((claim) => claim?.run.id)).toContain(free.id);
    expect(await claimFrom(queue)).toBeUndefined();
    expect(await readAccounts(program.parts)).toContainEqual({ account, active: 2 });
    await settle(claims.find((claim) => claim?.account === account));
    expect((await claimFrom(queue))?.account).toBe(account);
  });

  it("pause a tenant, and let it go on", async () => {
    const [queue, tenant] = [newName("queue"), newName("tenant")];
    await program.submit({ queue, tenant });
    await program.tenants.set(tenant, { paused: true });
    expect(await claimFrom(queue)).toBeUndefined();
    await program.tenants.set(tenant, { paused: false });
    expect((await claimFrom(queue))?.run.tenant).toBe(tenant);
  });

  it("pause an account for all hosts; a later end wins, and an earlier one does not", async () => {
    const [queue, tenant, account] = [newName("queue"), newName("tenant"), newName("account")];
    const other = await world.open();
    await program.tenants.set(tenant, { account });
    await program.submit({ queue, tenant });
    const late = new Date(Date.now() + 3_600_000);
    await program.tenants.pauseAccount(account, late, "usage_limit");
    await other.tenants.pauseAccount(account, new Date(Date.now() + 1_000), "rate_limited");
    expect(await readAccounts(other.parts)).toContainEqual({
      account,
      active: 0,
      pausedUntil: late,
      reason: "usage_limit",
    });
    expect(await claimFrom(queue, other)).toBeUndefined();
    await program.tenants.setAccount(account, { pausedUntil: null });
    expect(await claimFrom(queue, other)).toBeDefined();
  });

  it("pause the account of tenants that have no limits of their own", async () => {
    const own = await createRunWorld();
    try {
      const alone = await own.open();
      await alone.submit({ tenant: "somebody" });
      await alone.tenants.pauseAccount("default", new Date(Date.now() + 60_000), "overloaded");
      await alone.submit({ tenant: "newcomer" });
      expect(await alone.tryClaim()).toBeUndefined();
      await alone.tenants.setAccount("default", { pausedUntil: null });
      expect(await alone.tryClaim()).toBeDefined();
    } finally {
      await own[Symbol.asyncDispose]();
    }
  });

  it("end a pause by itself", async () => {
    const [queue, tenant, account] = [newName("queue"), newName("tenant"), newName("account")];
    await program.tenants.set(tenant, { account });
    await program.submit({ queue, tenant });
    await program.tenants.pauseAccount(account, new Date(Date.now() + 300), "rate_limited");
    expect(await claimFrom(queue)).toBeUndefined();
    let claim: Claim | undefined;
    while (claim === undefined) claim = await claimFrom(queue);
    expect(claim.account).toBe(account);
  });
});
