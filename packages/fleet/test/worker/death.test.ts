import { setTimeout as sleep } from "node:timers/promises";
import { toolUse } from "hawser/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { beganAt, HostWorld, until } from "../support/host-world.js";
import { expectInvariants } from "./invariants.helper.js";
import { expectBookedOnce, killHost, LEASE_MS } from "./killed-host.helper.js";

let world: HostWorld;
beforeAll(async () => {
  world = await HostWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world[Symbol.asyncDispose]();
});

describe.concurrent("when a host is killed, another one goes on within the lease and five seconds", () => {
  it("in the middle of a tool: the model is told that the call is uncertain, and the outcome names it", async () => {
    const trace = world.trace("tool");
    const build = {
      command: `echo begun >> ${trace.path}; sleep 600; echo ended >> ${trace.path}`,
      description: "build",
    };
    const name = world.agent(({ results }) => {
      if (results.length === 0) return toolUse("Bash", build);
      return results.length === 1
        ? toolUse("Bash", { command: `cat ${trace.path}`, description: "look" })
        : `Seen: ${results[1]}`;
    });
    const run = await killHost(world, {
      name: "tool",
      prompt: `${name} Build.`,
      when: () => until(() => trace.lines().includes("begun")),
    });
    const outcome = await run.result();
    expect(outcome.text).toBe("Seen: begun");
    expect(outcome.uncertainTools).toMatchObject([
      { tool: "Bash", input: build, segment: 1, done: false },
    ]);
    expect(trace.lines()).toEqual(["begun"]);
    const recovery = world.requestsOf(name).find(({ prompt }) => prompt.includes("was lost"));
    expect(recovery?.prompt).toContain(JSON.stringify(build));
    expect(JSON.stringify(recovery?.body)).toContain("Nobody knows whether it took effect");
    await expectBookedOnce(world, run);
  });

  it("before the first line of the transcript: the same words are said again", async () => {
    const name = world.agent(() => "Said once.");
    const run = await killHost(world, {
      name: "nothing",
      prompt: `${name} Go.`,
      hold: "workspace",
      when: async (_run, first) => void (await first.said("at")),
    });
    expect(await run.result()).toMatchObject({ text: "Said once.", uncertainTools: [] });
    expect(world.requestsOf(name)).toHaveLength(1);
    await expectBookedOnce(world, run);
    // The model was not asked.
    const [lost] = await world.rows(
      "select trim_scale(cost_usd) as cost from hawser.charge where run_id = $1 and segment = 1",
      [run.id],
    );
    expect(lost).toEqual({ cost: "0" });
  });
});

describe.concurrent("when a host is frozen for longer than the lease", () => {
  it("its CLI dies, another host runs the tool once, and the thawed host does nothing more", async () => {
    const work = { labels: ["frozen"] };
    const trace = world.trace("frozen");
    const name = world.agent(({ results }) => {
      if (results.some((text) => text.includes("counted"))) return "Done.";
      return toolUse("Bash", {
        command: `echo ran >> ${trace.path}; echo counted`,
        description: "count",
      });
    });
    const frozen = await world.host("frozen-1", { work });
    frozen.hold("approve");
    const run = await world.fleet.submit(`${name} Go.`, { queue: "frozen" });
    await frozen.said("at");
    const before = frozen.processes().length;
    expect(before).toBeGreaterThan(1);
    const frozenAt = Date.now();
    frozen.signal("SIGSTOP");
    await world.host("frozen-2", { work });
    expect((await beganAt(world, run, 2)) - frozenAt).toBeLessThan(LEASE_MS + 5_000);
    // The watchdog has ended the CLI, although its host could not.
    expect(frozen.processes()).toHaveLength(1);
    expect(await run.result()).toMatchObject({ text: "Done.", segments: 2 });
    frozen.letGo("approve");
    frozen.signal("SIGCONT");
    // The thawed host notices that it has lost the run, and goes on with other work.
    const other = await world.fleet.submit(`${world.agent(() => "Other.")} Go.`, {
      queue: "frozen",
    });
    expect(await other.result()).toMatchObject({ text: "Other." });
    await until(async () => frozen.processes().length === 1);
    await sleep(500);
    expect(trace.lines()).toEqual(["ran"]);
    expect(await run.info()).toMatchObject({ state: "done", segments: 2 });
  });
});
