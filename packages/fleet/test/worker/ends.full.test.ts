import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { apiError, hang, toolUse } from "hawser/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Run } from "../../src/runs/run.js";
import { collect } from "../support/collect.js";
import { callStored } from "../support/host-world.js";
import { WorkerWorld } from "./worker-world.helper.js";

let world: WorkerWorld;
beforeAll(async () => {
  world = await WorkerWorld.create();
  await world.work({ slots: 8 }, { allowedTools: ["Bash"], retry: { cliRetries: 0 } });
});
afterAll(() => world[Symbol.asyncDispose]());

const SLOW = toolUse("Bash", { command: "echo begun >> trace; sleep 600", description: "slow" });

/** Resolves when the run has begun a tool call. */
async function toolBegun(run: Run): Promise<void> {
  for await (const event of run.events()) if (event.type === "tool") return;
}

describe.concurrent("a run", () => {
  it("is interrupted by cancel(), and its reason is recorded", async () => {
    const run = await world.fleet.submit(`${world.agent(() => SLOW)} Go.`);
    await toolBegun(run);
    expect(await run.cancel("not needed")).toBe(true);
    await expect(run.result()).rejects.toMatchObject({ code: "run_cancelled" });
    expect(await run.info()).toMatchObject({
      state: "cancelled",
      error: { message: "The run was cancelled: not needed" },
    });
  });

  it("fails with timeout when it has worked for timeoutMs", async () => {
    const run = await world.fleet.submit(`${world.agent(() => SLOW)} Go.`, { timeoutMs: 2_000 });
    await expect(run.result()).rejects.toMatchObject({ code: "timeout" });
  });

  it("fails with timeout when its deadline passes while it runs", async () => {
    const deadline = new Date(Date.now() + 5_000);
    const run = await world.fleet.submit(`${world.agent(() => SLOW)} Go.`, { deadline });
    await expect(run.result()).rejects.toMatchObject({ code: "timeout" });
  });

  it("ends with stop max_turns at the smaller limit of run and profile", async () => {
    const name = world.agent(() => toolUse("Bash", { command: "echo x", description: "x" }));
    const run = await world.fleet.submit(`${name} Go.`, { maxTurns: 2 });
    expect(await run.result()).toMatchObject({ stop: "max_turns" });
  });

  it("returns the value of a schema", async () => {
    const name = world.agent(({ call }) =>
      call.tools.includes("StructuredOutput")
        ? toolUse("StructuredOutput", { knot: "bowline" })
        : "no such tool",
    );
    const schema = {
      type: "object",
      properties: { knot: { type: "string" } },
      required: ["knot"],
      additionalProperties: false,
    };
    const run = await world.fleet.submit(`${name} Name a knot.`, { schema });
    expect(await run.result()).toMatchObject({ value: { knot: "bowline" } });
  });

  it("continues a session, and a copy of it", async () => {
    const name = world.agent(
      ({ call }) => `I know ${JSON.stringify(call.body).split("Remember").length - 1}.`,
    );
    const first = await (await world.fleet.submit(`${name} Remember one.`)).result();
    const session = first.sessionId;
    const second = await (await world.fleet.submit("Remember two.", { session })).result();
    expect(second).toMatchObject({ text: "I know 2.", sessionId: session });
    const fork = await (
      await world.fleet.submit("Remember three.", { session: { fork: session } })
    ).result();
    expect(fork.text).toBe("I know 3.");
    expect(fork.sessionId).not.toBe(session);
    const again = await (await world.fleet.submit("Remember four.", { session })).result();
    expect(again.text).toBe("I know 3.");
  });

  it("copies a session as a whole after a host died in the middle of the copying", async () => {
    const name = world.agent(
      ({ call }) => `I know ${JSON.stringify(call.body).split("Remember").length - 1}.`,
    );
    const { sessionId } = await (await world.fleet.submit(`${name} Remember one.`)).result();
    await (await world.fleet.submit("Remember two.", { session: sessionId })).result();
    const queue = "forked";
    const run = await world.fleet.submit("Remember three.", {
      session: { fork: sessionId },
      queue,
    });
    const copy = { projectKey: "-p", sessionId: (await run.info()).sessionId };
    const entries = (await world.fleet.sessionStore.load({ projectKey: "-p", sessionId })) ?? [];
    const first = entries.findIndex(({ type }) => type === "assistant");
    await world.fleet.sessionStore.append(
      copy,
      entries.slice(0, first + 1).map((entry) => ({ ...entry, sessionId: copy.sessionId })),
    );
    await world.work({ labels: [queue], name: queue });
    expect((await run.result()).text).toBe("I know 3.");
  });

  it("fails with auth when the API refuses the key", async () => {
    const name = world.agent(() => apiError(401));
    const run = await world.fleet.submit(`${name} Go.`);
    await expect(run.result()).rejects.toMatchObject({ code: "auth" });
  });

  it("fails with invalid_options when the worker does not know its profile", async () => {
    const run = await world.fleet.submit("Go.", { profile: "unheard of" });
    await expect(run.result()).rejects.toMatchObject({
      code: "invalid_options",
      message: expect.stringContaining("unheard of"),
    });
  });

  it("is tried again when its CLI dies, tells the model what is uncertain, and names it in the outcome", async () => {
    const stored = join(mkdtempSync(join(tmpdir(), "ends-")), "stored");
    onTestFinished(() => rmSync(dirname(stored), { recursive: true, force: true }));
    const kill = toolUse("Bash", {
      command: `until [ -e ${stored} ]; do sleep 0.1; done; kill -9 $PPID; sleep 600`,
      description: "kill",
    });
    const name = world.agent(({ results }) =>
      results.length === 0 ? kill : `Heard: ${results.join(" | ")}`,
    );
    const run = await world.fleet.submit(`${name} Go.`);
    await callStored(world, run);
    writeFileSync(stored, "");
    const outcome = await run.result();
    expect(outcome.text).toMatch(/^Heard: The machine that ran this call was lost/);
    expect(outcome).toMatchObject({ segments: 2, costEstimated: true });
    expect(outcome.uncertainTools).toMatchObject([{ tool: "Bash", segment: 1, done: false }]);
    expect((await run.info()).deaths).toBe(1);
    const last = world.requestsOf(name).at(-1);
    expect(last?.prompt).toContain("kill -9 $PPID");
    const types = (await collect(run.events())).map(({ type }) => type);
    expect(types).toContain("lost");
  });

  it("fails with the error of the CLI when its attempts are used up", async () => {
    const kill = toolUse("Bash", { command: "kill -9 $PPID; sleep 600", description: "kill" });
    const run = await world.fleet.submit(`${world.agent(() => kill)} Go.`, { attempts: 2 });
    await expect(run.result()).rejects.toMatchObject({ code: "process_exited" });
    expect(await run.info()).toMatchObject({ deaths: 2, segments: 2 });
  });
});

describe.concurrent("limits of the API", () => {
  it("give the run back to the queue and pause the account for all hosts", async () => {
    await world.fleet.tenants.set("limited", { account: "busy" });
    await world.work({ labels: ["limited"], name: "limited" });
    let calls = 0;
    const name = world.agent(() => {
      calls += 1;
      // The CLI itself asks twice.
      return calls <= 2 ? apiError(429, { retryAfter: 2 }) : "Done.";
    });
    const run = await world.fleet.submit(`${name} Go.`, { tenant: "limited", queue: "limited" });
    for await (const event of run.events()) {
      if (event.type !== "returned") continue;
      expect(event.reason).toBe("rate_limited");
      const [account] = await world.rows(
        "select reason, paused_until from hawser.account where name = 'busy'",
      );
      expect(account).toEqual({ reason: "rate_limited", paused_until: expect.any(Date) });
    }
    expect(await run.result()).toMatchObject({ text: "Done.", segments: 2 });
    expect((await run.info()).deaths).toBe(0);
  });
});

describe("drain()", () => {
  it("lets a short run end, gives a long one back at once, and another worker goes on with it", async () => {
    const labels = ["drained"];
    const worker = await world.work(
      { labels, slots: 2, name: "leaving" },
      { allowedTools: ["Bash"] },
    );
    const short = await world.fleet.submit(
      `${world.agent(async ({ results }) => {
        if (results.length > 0) return "Short.";
        return toolUse("Bash", { command: "sleep 1", description: "short" });
      })} Go.`,
      { queue: "drained" },
    );
    const long = await world.fleet.submit(
      `${world.agent(({ results }) => (results.length === 0 ? SLOW : `Long: ${results.length}`))} Go.`,
      { queue: "drained" },
    );
    await Promise.all([toolBegun(short), toolBegun(long)]);
    const queued = await world.fleet.submit(`${world.agent(() => "Queued.")} Go.`, {
      queue: "drained",
    });
    await worker.drain({ timeoutMs: 8_000 });
    expect(worker.active).toBe(0);
    expect(await short.result()).toMatchObject({ text: "Short.", segments: 1 });
    expect((await long.info()).state).toBe("queued");
    expect((await queued.info()).segments).toBe(0);
    expect((await world.fleet.stats()).hosts.map(({ name }) => name)).not.toContain("leaving");
    await world.work({ labels, name: "coming" });
    expect(await long.result()).toMatchObject({ text: "Long: 1", segments: 2 });
    expect(await queued.result()).toMatchObject({ text: "Queued." });
    expect((await long.info()).deaths).toBe(0);
  });

  it("waits for the end of all runs with timeoutMs Infinity", async () => {
    const worker = await world.work(
      { labels: ["endless"], name: "endless", approvalTimeoutMs: Number.POSITIVE_INFINITY },
      { allowedTools: ["Bash"] },
    );
    const name = world.agent(({ results }) =>
      results.length === 0
        ? toolUse("Bash", { command: "sleep 1; echo x", description: "x" })
        : "Ended.",
    );
    const run = await world.fleet.submit(`${name} Go.`, { queue: "endless" });
    await toolBegun(run);
    await worker.drain({ timeoutMs: Number.POSITIVE_INFINITY });
    expect(await run.info()).toMatchObject({ state: "done", segments: 1 });
  });

  it("parks a question that a process holds", async () => {
    const worker = await world.work({ labels: ["asked"], holdMs: 600_000, name: "holding" });
    const name = world.agent(({ results }) =>
      results.length === 0
        ? toolUse("Bash", { command: "echo x >> trace", description: "x" })
        : "Done.",
    );
    const run = await world.fleet.submit(`${name} Go.`, { queue: "asked" });
    for await (const event of run.events()) if (event.type === "asked") break;
    await worker.drain();
    expect((await run.info()).state).toBe("waiting");
  });

  it("parks a question that a process holds also without waiting, as close() does, and the answer counts", async () => {
    const labels = ["closed"];
    const worker = await world.work({ labels, holdMs: 600_000, name: "closing" });
    const name = world.agent(({ results }) =>
      results.length === 0
        ? toolUse("Bash", { command: "echo ran >> trace; cat trace", description: "x" })
        : `Heard: ${results.join(" | ")}`,
    );
    const run = await world.fleet.submit(`${name} Go.`, { queue: "closed" });
    for await (const event of run.events()) if (event.type === "asked") break;
    await worker.close();
    expect((await run.info()).state).toBe("waiting");
    const [question] = await world.fleet.approvals.pending({ run: run.id });
    await world.fleet.approvals.answer(question?.id ?? "", { behavior: "allow" });
    await world.work({ labels, name: "after-closing" });
    expect(await run.result()).toMatchObject({ text: "Heard: ran", segments: 2 });
  });

  it("parks a question that comes during the drain", async () => {
    const queue = "asked-late";
    const holdMs = 600_000;
    const worker = await world.work({ labels: [queue], holdMs, name: queue });
    let drained: Promise<void> | undefined;
    const name = world.agent(async () => {
      drained ??= worker.drain();
      const isDraining = async () =>
        (await world.fleet.stats()).hosts.some((host) => host.name === queue && host.draining);
      while (!(await isDraining())) await sleep(20);
      return toolUse("Bash", { command: "echo x >> trace", description: "x" });
    });
    const run = await world.fleet.submit(`${name} Go.`, { queue });
    while (drained === undefined) await sleep(20);
    await drained;
    expect((await run.info()).state).toBe("waiting");
  });

  it("does not know what an interrupted tool call did, and says so", async () => {
    const labels = ["cut"];
    const profile = { allowedTools: ["Bash"] };
    const first = await world.work({ labels, name: "cutting" }, profile);
    let told = "";
    const name = world.agent(({ results, prompt }) => {
      if (results.length === 0) return SLOW;
      told = prompt;
      return "Done.";
    });
    const run = await world.fleet.submit(`${name} Go.`, { queue: "cut" });
    await toolBegun(run);
    await first.drain({ timeoutMs: 0 });
    await world.work({ labels, name: "going-on" }, profile);
    const { uncertainTools } = await run.result();
    expect(uncertainTools).toMatchObject([{ tool: "Bash", input: { description: "slow" } }]);
    expect(told).toContain("nobody knows whether they took effect");
    expect(told).toContain("sleep 600");
  });

  it("interrupts a model that does not answer", async () => {
    const worker = await world.work({ labels: ["silent"], name: "waiting" });
    const name = world.agent(() => hang());
    const run = await world.fleet.submit(`${name} Go.`, { queue: "silent" });
    while (world.requestsOf(name).length === 0) await sleep(20);
    await worker.close();
    expect((await run.info()).state).toBe("queued");
  });
});
