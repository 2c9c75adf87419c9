import { toolUse } from "hawser/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openFleet } from "../../src/open-fleet.js";
import { HostWorld, until } from "../support/host-world.js";
import { expectInvariants } from "./invariants.helper.js";

let world: HostWorld;
beforeAll(async () => {
  world = await HostWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world[Symbol.asyncDispose]();
});

describe.concurrent("SIGTERM", () => {
  it("drains a host: the run that works ends, the next one is left, and no process is left", async () => {
    const host = await world.host("drained", { work: { labels: ["drained"], slots: 1 } });
    const name = world.agent(({ results }) =>
      results.length === 0
        ? toolUse("Bash", { command: "sleep 2", description: "wait" })
        : "Ended.",
    );
    const run = await world.fleet.submit(`${name} Go.`, { queue: "drained" });
    for await (const { type } of run.events()) if (type === "tool") break;
    const next = await world.fleet.submit(`${world.agent(() => "Next.")} Go.`, {
      queue: "drained",
    });
    host.signal("SIGTERM");
    expect(await host.exited()).toBe(0);
    expect(await run.result()).toMatchObject({ text: "Ended.", segments: 1 });
    expect((await next.info()).state).toBe("queued");
    await host.gone();
    await world.host("successor", { work: { labels: ["drained"] } });
    expect(await next.result()).toMatchObject({ text: "Next." });
  });
});

describe.concurrent("a question whose hosts are all gone", () => {
  it("is answered by another program: one of 20 answers counts, and the call runs once on a new host", async () => {
    const labels = ["parked"];
    const trace = world.trace("parked");
    const name = world.agent(({ results }) =>
      results.length === 0
        ? toolUse("Bash", { command: `echo pushed >> ${trace.path}`, description: "push" })
        : "Deployed.",
    );
    const options = { approve: "pushed", work: { labels, holdMs: 0 } };
    const hosts = await Promise.all([
      world.host("parked-1", options),
      world.host("parked-2", options),
    ]);
    const run = await world.fleet.submit(`${name} Deploy.`, { queue: "parked" });
    await until(async () => (await run.info()).state === "waiting");
    await Promise.all(hosts.map((host) => host.kill()));
    await Promise.all(hosts.map((host) => host.gone()));
    expect(trace.lines()).toEqual([]);

    const program = await openFleet({ database: world.url });
    const [question] = await program.approvals.pending({ run: run.id });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, number) =>
        program.approvals.answer(
          question?.id ?? "",
          { behavior: "allow" },
          { by: `person ${number}` },
        ),
      ),
    );
    expect(answers.filter((answer) => answer === "counted")).toHaveLength(1);
    expect(await program.approvals.records({ run: run.id })).toHaveLength(1);
    await program.close();

    await Promise.all([world.host("parked-3", options), world.host("parked-4", options)]);
    expect(await run.result()).toMatchObject({
      text: "Deployed.",
      segments: 2,
      uncertainTools: [],
    });
    expect(trace.lines()).toEqual(["pushed"]);
    expect((await run.info()).deaths).toBe(0);
  });
});
