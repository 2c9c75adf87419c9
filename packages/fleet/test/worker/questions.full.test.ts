import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createSdkMcpServer, tool } from "hawser";
import { toolUse } from "hawser/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Run, RunState } from "../../src/runs/run.js";
import { collect } from "../support/collect.js";
import { WorkerWorld } from "./worker-world.helper.js";

let world: WorkerWorld;
beforeAll(async () => {
  world = await WorkerWorld.create();
  await world.work({ holdMs: 0, slots: 8, name: "impatient" });
  await world.work({ holdMs: 600_000, labels: ["patient"], name: "patient" });
  await world.work({ holdMs: 0, approvalTimeoutMs: 1_000, labels: ["short"], name: "short" });
  // Every call of Bash is allowed by a flag, but a person is asked about those that touch "trace".
  await world.work(
    {
      holdMs: 0,
      labels: ["asking"],
      name: "asking",
      approve: ({ input }) => (String(input["command"]).includes("trace") ? "ask" : undefined),
    },
    { allowedTools: ["Bash"] },
  );
});
afterAll(() => world[Symbol.asyncDispose]());

function writes(text: string) {
  return toolUse("Bash", { command: `echo ${text} >> trace; cat trace`, description: text });
}

/** Calls Bash once, and repeats the result. */
const ONE_CALL = ({ results }: { results: readonly string[] }) =>
  results.length === 0 ? writes("one") : `Result: ${results.join(" | ")}`;

async function reach(run: Run, state: RunState): Promise<void> {
  for (;;) {
    const info = await run.info();
    if (info.state === state) return;
    if (info.error !== undefined) throw new Error(`${info.error.code}: ${info.error.message}`);
    await sleep(50);
  }
}

async function questionOf(run: Run) {
  for (;;) {
    const [question] = await world.fleet.approvals.pending({ run: run.id });
    if (question !== undefined) return question;
    if ((await run.info()).endedAt !== undefined) throw new Error("nobody was asked");
    await sleep(50);
  }
}

describe.concurrent("a question of the CLI", () => {
  it("is answered while the process waits, and the call runs in the same segment", async () => {
    const run = await world.fleet.submit(`${world.agent(ONE_CALL)} Go.`, { queue: "patient" });
    const question = await questionOf(run);
    expect(question).toMatchObject({ kind: "tool", tool: "Bash", run: run.id });
    expect(await world.fleet.approvals.answer(question.id, { behavior: "allow" })).toBe("counted");
    expect(await run.result()).toMatchObject({ text: "Result: one", segments: 1 });
  });

  it("is parked without a process after holdMs, and an allowed call runs once when it is answered", async () => {
    const name = world.agent(ONE_CALL);
    const run = await world.fleet.submit(`${name} Go.`);
    await reach(run, "waiting");
    expect(
      (await world.fleet.stats()).hosts.find((host) => host.name === "impatient"),
    ).toBeDefined();
    const question = await questionOf(run);
    await world.fleet.approvals.answer(question.id, { behavior: "allow" }, { by: "ann" });
    const outcome = await run.result();
    expect(outcome).toMatchObject({
      text: "Result: one",
      segments: 2,
      uncertainTools: [],
      costEstimated: false,
    });
    const charges = await world.rows<{ estimated: boolean }>(
      "select segment, estimated, cost_usd > 0 as paid from hawser.charge where run_id = $1 order by segment",
      [run.id],
    );
    expect(charges).toEqual([
      { segment: 1, estimated: false, paid: true },
      { segment: 2, estimated: false, paid: true },
    ]);
    const events = await collect(run.events());
    const types = events.map(({ type }) => type);
    expect(
      types.filter((type) => type === "asked" || type === "parked" || type === "answered"),
    ).toEqual(["asked", "parked", "answered"]);
    // What the CLI says because it was interrupted to park the call would read like a denial.
    const before = events.slice(0, types.indexOf("parked"));
    const said = before.flatMap((event) => (event.type === "message" ? [event.message] : []));
    expect(said).toMatchObject([{ type: "assistant" }]);
    expect(JSON.stringify(events)).not.toContain("doesn't want to proceed");
    // The model knows of one call and one result.
    const last = world.requestsOf(name).at(-1);
    expect(JSON.stringify(last?.body).match(/"tool_use_id"/g)).toHaveLength(1);
  });

  it("tells the model why a parked call was denied, and does not run it", async () => {
    const name = world.agent(({ results }) =>
      results.length === 0 ? writes("never") : `Heard: ${results[0]}`,
    );
    const run = await world.fleet.submit(`${name} Go.`);
    await reach(run, "waiting");
    const question = await questionOf(run);
    await world.fleet.approvals.answer(question.id, {
      behavior: "deny",
      message: "Not on a Friday.",
    });
    expect(await run.result()).toMatchObject({ text: "Heard: Not on a Friday.", segments: 2 });
    const intents = await world.rows("select * from hawser.intent where run_id = $1", [run.id]);
    expect(intents).toEqual([]);
  });

  it("runs a parked call with the input that the person changed", async () => {
    const run = await world.fleet.submit(`${world.agent(ONE_CALL)} Go.`);
    await reach(run, "waiting");
    const question = await questionOf(run);
    const updatedInput = { command: "echo changed >> trace; cat trace", description: "changed" };
    await world.fleet.approvals.answer(question.id, { behavior: "allow", updatedInput });
    expect(await run.result()).toMatchObject({ text: "Result: changed" });
  });

  it("is asked again about a parked call whose file has another path on the next host", async () => {
    const queue = "moved";
    const [here, there] = ["here", "there"].map((name) => mkdtempSync(join(tmpdir(), name)));
    if (here === undefined || there === undefined) throw new Error("no folders");
    const workIn = (cwd: string) =>
      world.work({ holdMs: 0, labels: [queue], name: cwd, workspace: async () => ({ cwd }) });
    const name = world.agent(({ results }) =>
      results.length === 0
        ? toolUse("Write", { file_path: "knot.txt", content: "bowline" })
        : "Done.",
    );
    const first = await workIn(here);
    const run = await world.fleet.submit(`${name} Go.`, { queue });
    await reach(run, "waiting");
    await first.close();
    const question = await questionOf(run);
    expect(question).toMatchObject({ input: { file_path: join(here, "knot.txt") } });
    await world.fleet.approvals.answer(question.id, { behavior: "allow" }, { by: "ann" });
    await workIn(there);
    const again = await questionOf(run);
    expect(again).toMatchObject({ input: { file_path: join(there, "knot.txt") } });
    await reach(run, "waiting");
    expect([here, there].flatMap((folder) => readdirSync(folder))).toEqual([]);
    await world.fleet.approvals.answer(again.id, { behavior: "allow" }, { by: "bob" });
    expect(await run.result()).toMatchObject({ text: "Done.", segments: 3, uncertainTools: [] });
    expect(readdirSync(here)).toEqual([]);
    expect(readdirSync(there)).toEqual(["knot.txt"]);
    const records = await world.fleet.approvals.records({ run: run.id });
    expect(records.map(({ id, by }) => [id, by])).toEqual([
      [question.id, "ann"],
      [again.id, "bob"],
    ]);
    for (const folder of [here, there]) rmSync(folder, { recursive: true });
  });

  it("gives the answers of a parked AskUserQuestion to the model", async () => {
    const ask = toolUse("AskUserQuestion", {
      questions: [
        {
          question: "Which way?",
          header: "Way",
          options: [
            { label: "Left", description: "The left one." },
            { label: "Right", description: "The right one." },
          ],
          multiSelect: false,
        },
      ],
    });
    const name = world.agent(({ results }) =>
      results.length === 0 ? ask : `Heard: ${results[0]}`,
    );
    const run = await world.fleet.submit(`${name} Go.`);
    await reach(run, "waiting");
    const question = await questionOf(run);
    expect(question.kind).toBe("question");
    await world.fleet.approvals.answer(question.id, {
      behavior: "answer",
      answers: { "Which way?": "Left" },
    });
    expect((await run.result()).text).toMatch(/Which way\?.*Left/);
  });

  it("parks one of two calls of a message, and tells the model that the other one was not made", async () => {
    const name = world.agent(({ results }) =>
      results.length === 0 ? [writes("one"), writes("two")] : `Heard: ${results.join(" | ")}`,
    );
    const run = await world.fleet.submit(`${name} Go.`);
    await reach(run, "waiting");
    const question = await questionOf(run);
    await world.fleet.approvals.answer(question.id, { behavior: "allow" });
    const { text } = await run.result();
    expect(text).toMatch(/This call was not made: another call of the same message/);
    expect(text).toMatch(/\bone\b/);
    expect(text).not.toMatch(/\btwo\b/);
  });

  it("about a tool of an MCP server in the worker is parked, and the model makes the allowed call again", async () => {
    let ran = 0;
    const roster = tool(
      "roster",
      "Who is on watch.",
      {},
      async () => {
        ran += 1;
        return { content: [{ type: "text", text: "Ada" }] };
      },
      { alwaysLoad: true },
    );
    const crew = () => createSdkMcpServer({ name: "crew", tools: [roster] });
    await world.work({
      holdMs: 0,
      labels: ["crew"],
      name: "crew",
      profiles: { default: () => ({ ...world.profile, mcpServers: { crew: crew() } }) },
    });
    const name = world.agent(({ results }) =>
      results.at(-1)?.includes("Ada")
        ? `Heard: ${results.join(" | ")}`
        : toolUse("mcp__crew__roster", {}),
    );
    const run = await world.fleet.submit(`${name} Who?`, { queue: "crew" });
    await reach(run, "waiting");
    const question = await questionOf(run);
    await world.fleet.approvals.answer(question.id, { behavior: "allow" });
    expect((await run.result()).text).toMatch(/^Heard: A person has allowed this call.* \| .*Ada/);
    expect(ran).toBe(1);
    expect(await world.fleet.approvals.records({ run: run.id })).toHaveLength(1);
  });

  it("is denied when its time is over", async () => {
    const name = world.agent(({ results }) =>
      results.length === 0 ? writes("never") : `Heard: ${results[0]}`,
    );
    const run = await world.fleet.submit(`${name} Go.`, { queue: "short" });
    expect((await run.result()).text).toMatch(/^Heard: Nobody answered/);
  });
});

describe.concurrent("the option approve", () => {
  it("asks a person about a call that a flag allows, and runs it with the input that the person changed", async () => {
    const name = world.agent(({ results }) => {
      if (results.length === 0) return writes("one");
      // A flag allows the second call, so that nobody is asked again.
      if (results.length === 1)
        return toolUse("Bash", { command: "echo free", description: "free" });
      return `Result: ${results.join(" | ")}`;
    });
    const run = await world.fleet.submit(`${name} Go.`, { queue: "asking" });
    await reach(run, "waiting");
    const question = await questionOf(run);
    const updatedInput = { command: "echo changed >> trace; cat trace", description: "changed" };
    await world.fleet.approvals.answer(question.id, { behavior: "allow", updatedInput });
    expect(await run.result()).toMatchObject({ text: "Result: changed | free" });
  });

  it("does not run a denied call that a flag allows", async () => {
    const name = world.agent(({ results }) =>
      results.length === 0 ? writes("never") : `Heard: ${results[0]}`,
    );
    const run = await world.fleet.submit(`${name} Go.`, { queue: "asking" });
    await reach(run, "waiting");
    const question = await questionOf(run);
    await world.fleet.approvals.answer(question.id, { behavior: "deny", message: "No." });
    expect(await run.result()).toMatchObject({ text: "Heard: No." });
  });
});

describe("before the first request of a segment", () => {
  it("the worker has written that the model may be asked, also if the CLI goes on by itself", async () => {
    const marked: (boolean | undefined)[] = [];
    const name = world.agent(async (turn) => {
      const [segment] = await world.rows<{ marked: boolean }>(
        `select segment.usage is not null as marked from hawser.segment join hawser.run on run.id = run_id
         where run.request like $1 order by segment.segment desc limit 1`,
        [`%${name}%`],
      );
      marked.push(segment?.marked);
      return ONE_CALL(turn);
    });
    const run = await world.fleet.submit(`${name} Go.`);
    const question = await questionOf(run);
    await reach(run, "waiting");
    await world.fleet.approvals.answer(question.id, { behavior: "allow" });
    expect(await run.result()).toMatchObject({ text: "Result: one", segments: 2 });
    expect(marked).toEqual([true, true]);
  });
});
