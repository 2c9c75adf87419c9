import { setTimeout as sleep } from "node:timers/promises";
import { toolUse } from "hawser/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Run, RunState } from "../../src/runs/run.js";
import { until } from "../support/host-world.js";
import { WorkerWorld } from "./worker-world.helper.js";

let world: WorkerWorld;
beforeAll(async () => {
  world = await WorkerWorld.create();
});
afterAll(() => world[Symbol.asyncDispose]());

async function reach(run: Run, state: RunState): Promise<void> {
  while ((await run.info()).state !== state) await sleep(50);
}

/** Kills its own CLI. */
const CRASH = toolUse("Bash", { command: "kill -9 $PPID; sleep 600", description: "crash" });

/** Whether a prompt tells of the crash. The transcript may not: the CLI writes it up to 100 ms late. */
function isTold(prompt: string): boolean {
  return prompt.includes("nobody knows whether they took effect") || prompt.startsWith("Resume");
}

describe("fleet.work()", () => {
  it("refuses options that it cannot obey with invalid_options, and names all of them", async () => {
    const work = world.fleet.work({
      profiles: { default: { resume: "x", sessionStore: {} as never } },
      slots: 0,
      labels: [],
    });
    await expect(work).rejects.toMatchObject({
      code: "invalid_options",
      issues: [
        { path: "profiles.default.resume" },
        { path: "profiles.default.sessionStore" },
        { path: "slots" },
        { path: "labels" },
      ],
    });
    await expect(world.fleet.work({ profiles: {} })).rejects.toMatchObject({
      code: "invalid_options",
    });
  });
});

describe.concurrent("the options of a worker", () => {
  it("credential: gives each run the key of its tenant and account", async () => {
    await world.fleet.tenants.set("keyed", { account: "gold" });
    const seen: string[] = [];
    await world.work({
      labels: ["keyed"],
      name: "keyed",
      credential: async ({ tenant, account }) => {
        seen.push(`${tenant}/${account}`);
        return { apiKey: `key-of-${account}` };
      },
    });
    const name = world.agent(({ call }) => `Key: ${String(call.headers["x-api-key"])}`);
    const run = await world.fleet.submit(`${name} Go.`, { tenant: "keyed", queue: "keyed" });
    // The simulated model masks what it records; that there is a key shows that it was sent.
    expect((await run.result()).text).toMatch(/^Key: /);
    expect(seen).toEqual(["keyed/gold"]);
  });

  it("approve: allows and denies calls without a person", async () => {
    await world.work({
      labels: ["judged"],
      name: "judged",
      approve: ({ input }) => (String(input["command"]).includes("good") ? "allow" : "deny"),
    });
    const name = world.agent(({ results }) => {
      if (results.length === 0)
        return toolUse("Bash", { command: "echo good >> trace; cat trace", description: "x" });
      if (results.length === 1)
        return toolUse("Bash", { command: "echo bad >> trace; cat trace", description: "x" });
      return `Heard: ${results.join(" | ")}`;
    });
    const run = await world.fleet.submit(`${name} Go.`, { queue: "judged" });
    expect((await run.result()).text).toMatch(/^Heard: good \| .*does not allow this call/);
  });

  it("profiles: a function that fails is tried again on another attempt, and its error is told in the end", async () => {
    let calls = 0;
    await world.work({
      labels: ["failing"],
      name: "failing",
      profiles: {
        default: () => {
          calls += 1;
          throw new Error("no such secret");
        },
      },
    });
    const run = await world.fleet.submit("Go.", { queue: "failing", attempts: 2 });
    await expect(run.result()).rejects.toMatchObject({
      code: "spawn_failed",
      message: expect.stringContaining("no such secret"),
    });
    expect(calls).toBe(2);
  });

  it("profiles: a call that a hook of the profile defers is asked of a person, and runs once", async () => {
    let deferred = 0;
    await world.work(
      { labels: ["deferring"], name: "deferring" },
      {
        hooks: {
          PreToolUse: [
            {
              hooks: [
                async () => {
                  deferred += 1;
                  return deferred > 1
                    ? {}
                    : {
                        hookSpecificOutput: {
                          hookEventName: "PreToolUse",
                          permissionDecision: "defer",
                        },
                      };
                },
              ],
            },
          ],
        },
      },
    );
    const name = world.agent(({ results }) =>
      results.length === 0
        ? toolUse("Bash", { command: "echo ran >> trace; cat trace", description: "x" })
        : `Heard: ${results.join(" | ")}`,
    );
    const run = await world.fleet.submit(`${name} Go.`, { queue: "deferring" });
    await reach(run, "waiting");
    const [question] = await world.fleet.approvals.pending({ run: run.id });
    expect(question).toMatchObject({ kind: "tool", tool: "Bash" });
    await world.fleet.approvals.answer(question?.id ?? "", { behavior: "allow" });
    expect(await run.result()).toMatchObject({
      text: "Heard: ran",
      segments: 2,
      uncertainTools: [],
    });
  });

  it("onUncertain fail: ends a run whose host was lost in a tool with host_lost", async () => {
    await world.work(
      { labels: ["strict"], name: "strict", onUncertain: "fail" },
      { allowedTools: ["Bash"] },
    );
    const run = await world.fleet.submit(`${world.agent(() => CRASH)} Go.`, { queue: "strict" });
    await expect(run.result()).rejects.toMatchObject({
      code: "host_lost",
      message: expect.stringContaining("kill -9 $PPID"),
    });
  });

  it("onUncertain fail and ask: a run that somebody retries goes on, and the model is told", async () => {
    const labels = ["strict-again"];
    const profile = { allowedTools: ["Bash"] };
    const name = world.agent(({ prompt }) => (isTold(prompt) ? `Went on: ${prompt}` : CRASH));
    const strict = await world.work({ labels, name: "fails", onUncertain: "fail" }, profile);
    const run = await world.fleet.submit(`${name} Go.`, { queue: "strict-again" });
    await expect(run.result()).rejects.toMatchObject({ code: "host_lost" });
    expect(await run.retry()).toBe(true);
    const outcome = await run.result();
    expect(outcome.text).toContain("nobody knows whether they took effect");
    expect(outcome.uncertainTools).toMatchObject([{ tool: "Bash" }]);
    await strict.close();

    await world.work({ labels, name: "asks", onUncertain: "ask", holdMs: 0 }, profile);
    const asked = await world.fleet.submit(`${name} Go.`, { queue: "strict-again" });
    await reach(asked, "waiting");
    const [question] = await world.fleet.approvals.pending({ run: asked.id });
    await world.fleet.approvals.answer(question?.id ?? "", { behavior: "deny" });
    await expect(asked.result()).rejects.toMatchObject({ code: "host_lost" });
    expect(await asked.retry()).toBe(true);
    expect((await asked.result()).text).toContain("nobody knows whether they took effect");
  });

  it("onUncertain ask: asks a person before the run goes on", async () => {
    await world.work(
      { labels: ["careful"], name: "careful", onUncertain: "ask", holdMs: 0 },
      { allowedTools: ["Bash"] },
    );
    const name = world.agent(({ prompt }) => (isTold(prompt) ? "Went on." : CRASH));
    const answered = async (answer: string) => {
      const run = await world.fleet.submit(`${name} Go.`, { queue: "careful" });
      await reach(run, "waiting");
      const [question] = await world.fleet.approvals.pending({ run: run.id });
      if (question?.kind !== "question") throw new Error("A question was expected.");
      const text = question.questions[0]?.question ?? "";
      expect(text).toContain("kill -9 $PPID");
      await world.fleet.approvals.answer(question.id, {
        behavior: "answer",
        answers: { [text]: answer },
      });
      return run;
    };
    const goesOn = await answered("Go on");
    expect(await goesOn.result()).toMatchObject({
      text: "Went on.",
      uncertainTools: [{ tool: "Bash" }],
    });
    const stops = await answered("Stop");
    await expect(stops.result()).rejects.toMatchObject({ code: "host_lost" });
  });

  it("onRecover: says the words with which a run goes on", async () => {
    await world.work(
      {
        labels: ["worded"],
        name: "worded",
        onRecover: (run, uncertain) => `Resume ${run.id}: ${uncertain.length} uncertain.`,
      },
      { allowedTools: ["Bash"] },
    );
    const name = world.agent(({ prompt }) => (isTold(prompt) ? `Heard: ${prompt}` : CRASH));
    const run = await world.fleet.submit(`${name} Go.`, { queue: "worded" });
    expect((await run.result()).text).toBe(`Heard: Resume ${run.id}: 1 uncertain.`);
  });

  it("workspace: is told whether the run is settled", async () => {
    const told: boolean[] = [];
    await world.work(
      {
        labels: ["placed"],
        name: "placed",
        workspace: async () => ({
          cwd: "/tmp",
          dispose: async (settled) => void told.push(settled),
        }),
      },
      { allowedTools: ["Bash"] },
    );
    const name = world.agent(({ prompt }) => (isTold(prompt) ? "Done." : CRASH));
    const run = await world.fleet.submit(`${name} Go.`, { queue: "placed" });
    expect(await run.result()).toMatchObject({ text: "Done." });
    await until(() => told.length > 1);
    expect(told).toEqual([false, true]);
  });

  it("a run with a history begins a session that has these messages", async () => {
    await world.work({ labels: ["told"], name: "told" });
    const name = world.agent(({ call }) =>
      JSON.stringify((call.body as { messages: unknown }).messages),
    );
    const run = await world.fleet.submit(`${name} And now?`, {
      queue: "told",
      history: [
        { role: "user", content: "Name a knot." },
        { role: "assistant", content: "A bowline." },
      ],
    });
    const { text } = await run.result();
    expect(text.indexOf("Name a knot.")).toBeGreaterThan(-1);
    expect(text.indexOf("A bowline.")).toBeGreaterThan(text.indexOf("Name a knot."));
    expect(text.indexOf("And now?")).toBeGreaterThan(text.indexOf("A bowline."));
  });
});
