import { fileURLToPath } from "node:url";
import { hang, toolUse } from "hawser/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Run } from "../../src/runs/run.js";
import { collect } from "../support/collect.js";
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

/** The first host holds its questions, so that the answer comes while its process waits. */
const held = (label: string) => ({ profile: {}, work: { holdMs: 600_000, labels: [label] } });

async function asked(run: Run): Promise<string> {
  for await (const event of run.events()) if (event.type === "asked") return event.approval;
  throw new Error("nobody was asked");
}

/** Keeps everything out of the transcript of a session until it is let go: an append needs the row for itself. */
async function blockTranscript(session: string) {
  const client = new pg.Client({ connectionString: world.url });
  await client.connect();
  await client.query("begin");
  await client.query("select 1 from hawser.session where id = $1 for share", [session]);
  return async () => {
    // The appends of a host that is gone still wait. They must not be stored now.
    await world.rows(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    await client.query("rollback");
    await client.end();
  };
}

async function questionsOf(run: Run) {
  const events = await collect(run.events());
  return events.flatMap((event) => (event.type === "asked" ? [event.approval] : []));
}

describe("when a host is killed right after a person has answered", () => {
  it.each([
    ["allow", { behavior: "allow" }, ["ran"], "Result: "],
    ["deny", { behavior: "deny", message: "Not today." }, [], "Result: Not today."],
  ] as const)(
    "and nothing of the call was stored, %s counts for the same call, and nobody is asked again",
    async (label, decision, lines, text) => {
      const trace = world.trace(`unstored-${label}`);
      const name = world.agent(({ results }) =>
        results.length === 0
          ? toolUse("Bash", { command: `echo ran >> ${trace.path}`, description: "count" })
          : `Result: ${results.join(" | ")}`,
      );
      const first = await world.host(`${label}-1`, held(label));
      first.hold("workspace");
      const run = await world.fleet.submit(`${name} Go.`, { queue: label });
      await first.said("at");
      const { sessionId } = await run.info();
      const letGo = await blockTranscript(sessionId);
      first.letGo("workspace");
      const question = await asked(run);
      // The host is killed before it can see the answer.
      first.signal("SIGSTOP");
      expect(await world.fleet.approvals.answer(question, decision)).toBe("counted");
      await first.kill();
      await first.gone();
      await letGo();
      const entries = "select 1 from hawser.entry where session_id = $1";
      expect(await world.rows(entries, [sessionId])).toEqual([]);
      await world.host(`${label}-2`, held(label));
      const outcome = await run.result();
      expect(outcome).toMatchObject({ segments: 2, uncertainTools: [] });
      expect(outcome.text).toContain(text);
      expect(trace.lines()).toEqual(lines);
      expect(await questionsOf(run)).toEqual([question]);
    },
  );

  it("and the call is in the transcript, the call runs once, and nobody is asked again", async () => {
    const trace = world.trace("stored");
    const name = world.agent(({ results }) =>
      results.length === 0
        ? toolUse("Bash", { command: `echo ran >> ${trace.path}`, description: "count" })
        : "Done.",
    );
    const first = await world.host("stored-1", held("stored"));
    const run = await world.fleet.submit(`${name} Go.`, { queue: "stored" });
    const question = await asked(run);
    await until(async () => {
      const sql = "select 1 from hawser.entry where session_id = $1 and body like '%tool_use%'";
      return (await world.rows(sql, [(await run.info()).sessionId])).length > 0;
    });
    first.signal("SIGSTOP");
    await world.fleet.approvals.answer(question, { behavior: "allow" });
    await first.kill();
    await world.host("stored-2", held("stored"));
    expect(await run.result()).toMatchObject({ text: "Done.", segments: 2, uncertainTools: [] });
    expect(trace.lines()).toEqual(["ran"]);
    expect(await questionsOf(run)).toEqual([question]);
  });

  it("and the model was told to make the allowed call again, the next host lets it, once", async () => {
    const trace = world.trace("crew");
    const args = [fileURLToPath(new URL("./crew-server.js", import.meta.url))];
    const env = { CREW_TRACE: trace.path };
    const crew = { type: "stdio", command: process.execPath, args, env } as const;
    const options = {
      profile: { mcpServers: { crew } },
      work: { holdMs: 0, labels: ["crew"] },
    };
    let told = 0;
    const name = world.agent(({ results }) => {
      if (results.at(-1)?.includes("A person has allowed this call")) {
        told += 1;
        if (told === 1) return hang();
      }
      const ran = results.filter((result) => result.includes("Ada"));
      if (ran.length === 2) return "Done.";
      return toolUse("mcp__crew__roster", {});
    });
    const first = await world.host("crew-1", options);
    const run = await world.fleet.submit(`${name} Who?`, { queue: "crew" });
    await until(async () => (await run.info()).state === "waiting");
    const [question] = await world.fleet.approvals.pending({ run: run.id });
    await world.fleet.approvals.answer(question?.id ?? "", { behavior: "allow" });
    await until(() => told === 1);
    await first.kill();
    await world.host("crew-2", options);
    // The second call of the model is another one, although it is the same: a person is asked.
    await until(async () => (await run.info()).state === "waiting");
    expect(trace.lines()).toEqual(["ran"]);
    const [second, ...others] = await world.fleet.approvals.pending({ run: run.id });
    expect(others).toEqual([]);
    await world.fleet.approvals.answer(second?.id ?? "", { behavior: "allow" });
    expect(await run.result()).toMatchObject({ text: "Done.", uncertainTools: [] });
    expect(trace.lines()).toEqual(["ran", "ran"]);
    expect(await questionsOf(run)).toEqual([question?.id, second?.id]);
  });

  it("and in the middle of the allowed call, the call is uncertain, and a person is asked about its repetition", async () => {
    const trace = world.trace("begun");
    const name = world.agent(({ results, prompt }) => {
      const command = `echo begun >> ${trace.path}; while [ ! -e ${trace.path}-go ]; do sleep 0.1; done`;
      if (results.length < 2) return toolUse("Bash", { command, description: "build" });
      return `Heard: ${results[0]} | ${prompt}`;
    });
    const first = await world.host("begun-1", held("begun"));
    const run = await world.fleet.submit(`${name} Build.`, { queue: "begun" });
    const question = await asked(run);
    await world.fleet.approvals.answer(question, { behavior: "allow" });
    await until(() => trace.lines().includes("begun"));
    await first.kill();
    await world.host("begun-2", held("begun"));
    await until(async () => (await world.fleet.approvals.pending({ run: run.id })).length === 1);
    const [again] = await world.fleet.approvals.pending({ run: run.id });
    expect(again?.id).not.toBe(question);
    expect(trace.lines()).toEqual(["begun"]);
    await world.fleet.approvals.answer(again?.id ?? "", { behavior: "deny", message: "No." });
    const outcome = await run.result();
    expect(outcome.uncertainTools).toHaveLength(1);
    expect(outcome.text).toContain("The machine that ran this call was lost");
    expect(outcome.text).toContain("nobody knows whether they took effect");
    expect(trace.lines()).toEqual(["begun"]);
  });
});
