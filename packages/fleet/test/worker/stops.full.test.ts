import { setTimeout as sleep } from "node:timers/promises";
import { toolUse } from "hawser/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Run } from "../../src/runs/run.js";
import { until } from "../support/host-world.js";
import { WorkerWorld } from "./worker-world.helper.js";

let world: WorkerWorld;
beforeAll(async () => {
  world = await WorkerWorld.create();
});
afterAll(() => world[Symbol.asyncDispose]());

const CRASH = toolUse("Bash", { command: "kill -9 $PPID; sleep 600", description: "crash" });
const NEVER = new Promise<never>(() => {});

async function asked(run: Run): Promise<void> {
  for await (const event of run.events()) if (event.type === "asked") return;
}

describe.concurrent("a segment that waits for a function of the worker", () => {
  it("ends when its run is cancelled, and disposes of a workspace that comes too late", async () => {
    let open = (_: { cwd: string; dispose: (settled: boolean) => Promise<void> }) => {};
    const opened = new Promise<{ cwd: string; dispose(settled: boolean): Promise<void> }>(
      (resolve) => {
        open = resolve;
      },
    );
    let isAsked = false;
    await world.work({
      labels: ["cloning"],
      name: "cloning",
      workspace: () => {
        isAsked = true;
        return opened;
      },
    });
    const run = await world.fleet.submit("Go.", { queue: "cloning" });
    await until(() => isAsked);
    await run.cancel("too slow");
    await expect(run.result()).rejects.toMatchObject({ code: "run_cancelled" });
    const disposed: boolean[] = [];
    open({ cwd: "/tmp", dispose: async (settled) => void disposed.push(settled) });
    await until(() => disposed.length > 0);
    expect(disposed).toEqual([true]);
  });

  it("is given back when the worker closes", async () => {
    let isAsked = false;
    const credential = () => {
      isAsked = true;
      return NEVER;
    };
    const worker = await world.work({ labels: ["stuck"], name: "stuck", credential });
    const run = await world.fleet.submit("Go.", { queue: "stuck" });
    await until(() => isAsked);
    await worker.close();
    expect(await run.info()).toMatchObject({ state: "queued", deaths: 0 });
  });
});

describe.concurrent("a segment that asks whether to go on after a lost call", () => {
  const work = (queue: string) =>
    world.work(
      { labels: [queue], name: queue, onUncertain: "ask", holdMs: 600_000 },
      { allowedTools: ["Bash"] },
    );

  it("ends when its run is cancelled", async () => {
    await work("doubting");
    const run = await world.fleet.submit(`${world.agent(() => CRASH)} Go.`, { queue: "doubting" });
    await asked(run);
    await run.cancel("not needed");
    await expect(run.result()).rejects.toMatchObject({ code: "run_cancelled" });
  });

  it("parks the question when the worker drains", async () => {
    const worker = await work("doubting-late");
    const run = await world.fleet.submit(`${world.agent(() => CRASH)} Go.`, {
      queue: "doubting-late",
    });
    await asked(run);
    await worker.drain();
    expect((await run.info()).state).toBe("waiting");
  });
});

describe.concurrent("the time of a run", () => {
  it("does not count while its process waits for a person", async () => {
    await world.work({ labels: ["slowly"], name: "slowly", holdMs: 600_000 });
    const name = world.agent(({ results }) =>
      results.length === 0
        ? toolUse("Bash", { command: "echo x >> trace", description: "x" })
        : "Done.",
    );
    const submittedAt = performance.now();
    const run = await world.fleet.submit(`${name} Go.`, { queue: "slowly" });
    await asked(run);
    await sleep(WAIT_MS);
    const [question] = await world.fleet.approvals.pending({ run: run.id });
    await world.fleet.approvals.answer(question?.id ?? "", { behavior: "allow" });
    await run.result();
    const { workedMs } = await run.info();
    // A timer may fire a millisecond too early.
    expect(workedMs).toBeLessThan(performance.now() - submittedAt - WAIT_MS + 5);
  });
});

const WAIT_MS = 3_000;
