import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WorkerWorld } from "../worker/worker-world.helper.js";
import { GatewayOnFleet, type Reply } from "./gateway-on-fleet.helper.js";

let world: WorkerWorld;
let gateway: GatewayOnFleet;
beforeAll(async () => {
  world = await WorkerWorld.create();
  gateway = new GatewayOnFleet(world.fleet);
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

const FLEET = "/hawser/v1/fleet";

const read = (user = "admin"): Promise<Reply> => gateway.ask("GET", FLEET, user);

const tenantIn = ({ body }: Reply, name: string) =>
  body.tenants.find(({ tenant }: { tenant: string }) => tenant === name);

/** The state is at most a second old, so that a change is seen a little later. */
async function until(holds: (reply: Reply) => boolean): Promise<Reply> {
  for (;;) {
    const reply = await read();
    if (holds(reply)) return reply;
    await sleep(50);
  }
}

describe("GET /hawser/v1/fleet", () => {
  it("is for admins", async () => {
    const { status, body } = await read("alice");
    expect([status, body.error.code]).toEqual([403, "not_allowed"]);
  });

  it("shows hosts, runs by state and by tenant, limits, spending and pauses", async () => {
    const { fleet } = world;
    await fleet.tenants.set("alice", {
      concurrency: 3,
      weight: 2,
      budgetUsd: { day: 10 },
      onBudget: "wait",
    });
    await fleet.tenants.set("bob", { paused: true });
    const until10 = new Date(Date.now() + 600_000);
    await fleet.tenants.pauseAccount("spare", until10, "rate_limited");
    await fleet.submit("Wait.", { tenant: "bob" });
    const done = await fleet.submit(
      world.agent(() => "Done."),
      { tenant: "alice" },
    );
    const queued = await until(({ body }) => body.runs.queued === 2);
    expect(queued.body.hosts).toEqual([]);
    expect(tenantIn(queued, "alice")).toEqual({
      tenant: "alice",
      runs: { queued: 1, held: 0, running: 0, waiting: 0 },
      limits: {
        account: "default",
        concurrency: 3,
        weight: 2,
        budgetUsd: { day: 10, month: null, total: null },
        onBudget: "wait",
        paused: false,
      },
      spentUsd: { day: 0, month: 0, total: 0 },
      reservedUsd: 0,
    });
    expect(tenantIn(queued, "bob")).toMatchObject({
      runs: { queued: 1 },
      limits: { paused: true },
    });
    expect(queued.body.accounts).toContainEqual({
      account: "spare",
      active: 0,
      pausedUntil: until10.toISOString(),
      reason: "rate_limited",
    });

    await world.work({ slots: 1, name: "host-one" });
    await done.result();
    const after = await until(({ body }) => body.runs.done === 1);
    expect(after.body).toMatchObject({
      approvals: 0,
      runs: { queued: 1, running: 0 },
      hosts: [{ name: "host-one", slots: 1, draining: false }],
    });
    const { spentUsd } = tenantIn(after, "alice");
    const today = await fleet.usage("alice");
    expect(today.costUsd).toBeGreaterThan(0);
    expect(spentUsd).toEqual({ day: today.costUsd, month: today.costUsd, total: today.costUsd });
  });
});
