import { hang, reply, toolUse } from "hawser/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nativeCli } from "../../../../tools/native-cli.js";
import { HostWorld, until } from "../support/host-world.js";
import { expectInvariants } from "./invariants.helper.js";
import { expectBookedOnce, killHost } from "./killed-host.helper.js";

let world: HostWorld;
beforeAll(async () => {
  world = await HostWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world[Symbol.asyncDispose]();
});

describe("when a host is killed, another one goes on within the lease and five seconds", () => {
  it("while the model streams: the prompt is not repeated, and nothing is uncertain", async () => {
    let calls = 0;
    const name = world.agent(() => {
      calls += 1;
      return calls === 1
        ? reply("word ".repeat(3000), { chunks: 3000, chunkDelayMs: 20 })
        : "Whole.";
    });
    const run = await killHost(world, {
      name: "stream",
      prompt: `${name} Talk.`,
      when: async (run) => {
        for await (const { type } of run.events()) if (type === "text") break;
      },
    });
    expect(await run.result()).toMatchObject({ text: "Whole.", uncertainTools: [] });
    const last = world.requestsOf(name).at(-1);
    expect(JSON.stringify(last?.body).split(name)).toHaveLength(2);
    await expectBookedOnce(world, run);
  });

  it("between two tools: the first one is known to have ended, and is not run again", async () => {
    const trace = world.trace("between");
    let asked = 0;
    const name = world.agent(({ results }) => {
      if (results.length === 0) {
        return toolUse("Bash", { command: `echo ran >> ${trace.path}`, description: "count" });
      }
      asked += 1;
      return asked === 1 ? hang() : "Done.";
    });
    const run = await killHost(world, {
      name: "between",
      prompt: `${name} Go.`,
      when: () => until(() => asked === 1),
    });
    expect(await run.result()).toMatchObject({ text: "Done.", uncertainTools: [] });
    expect(trace.lines()).toEqual(["ran"]);
    await expectBookedOnce(world, run);
  });

  it("when the model was asked, and nothing of it was stored: the same words are said again", async () => {
    let asked = 0;
    const name = world.agent(() => {
      asked += 1;
      return asked === 1 ? hang() : "Done.";
    });
    const client = new pg.Client({ connectionString: world.url });
    await client.connect();
    const run = await killHost(world, {
      name: "unstored",
      prompt: `${name} Go.`,
      hold: "workspace",
      when: async (run, first) => {
        await first.said("at");
        // Nothing can be added to the session while its row is locked.
        await client.query("begin");
        await client.query("select 1 from hawser.session where id = $1 for update", [
          (await run.info()).sessionId,
        ]);
        first.letGo("workspace");
        await until(() => asked === 1);
        setTimeout(() => void client.query("rollback"), 3_000);
      },
    });
    expect(await run.result()).toMatchObject({ text: "Done." });
    const last = world.requestsOf(name).at(-1);
    expect(last?.prompt).not.toContain("was lost");
    await client.end();
    await expectBookedOnce(world, run);
  });

  it("in the middle of a tool, with an older CLI, which forgets the call: the model is told all the same", async () => {
    const trace = world.trace("older");
    const name = world.agent(({ results }) =>
      results.length === 0
        ? toolUse("Bash", {
            command: `echo begun >> ${trace.path}; sleep 600`,
            description: "build",
          })
        : `Heard: ${results[0]}`,
    );
    const run = await killHost(world, {
      name: "older",
      prompt: `${name} Build.`,
      when: () => until(() => trace.lines().includes("begun")),
      options: { cliPath: nativeCli("claude-code-2.1.197") },
    });
    const outcome = await run.result();
    expect(outcome.text).toMatch(/^Heard: The machine that ran this call was lost/);
    expect(outcome.uncertainTools).toHaveLength(1);
    await expectBookedOnce(world, run);
  });

  it("while a process holds a question: the question stays open, and its answer is used", async () => {
    const trace = world.trace("held");
    const name = world.agent(({ results }) =>
      results.length === 0
        ? toolUse("Bash", { command: `echo ran >> ${trace.path}`, description: "count" })
        : "Done.",
    );
    const run = await killHost(world, {
      name: "held",
      prompt: `${name} Go.`,
      options: { profile: {}, work: { holdMs: 600_000, labels: ["held"] } },
      when: async (run) => {
        for await (const { type } of run.events()) if (type === "asked") break;
      },
    });
    await until(async () => (await run.info()).state === "waiting");
    const [question, ...others] = await world.fleet.approvals.pending({ run: run.id });
    expect(others).toEqual([]);
    await world.fleet.approvals.answer(question?.id ?? "", { behavior: "allow" });
    expect(await run.result()).toMatchObject({ text: "Done.", uncertainTools: [] });
    expect(trace.lines()).toEqual(["ran"]);
  });
});
