import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

const folderOf = ({ id }: Run) => join(tmpdir(), `hawser-run-${id}`);

/** A run that waits for a person, with the folder that its worker keeps for it. */
async function parkedRun(queue: string) {
  const worker = await world.work({ labels: [queue], name: queue, holdMs: 0 });
  const name = world.agent(() => toolUse("Bash", { command: "echo x >> x", description: "x" }));
  const run = await world.fleet.submit(`${name} Go.`, { queue });
  await until(async () => (await run.info()).state === "waiting");
  expect(existsSync(folderOf(run))).toBe(true);
  return { run, worker };
}

describe("the folder of a run without a workspace", () => {
  it("is removed when no CLI could be started for the run", async () => {
    const profiles = { default: () => ({ ...world.profile, cliPath: "/nowhere/claude" }) };
    await world.work({ labels: ["none"], name: "none", profiles });
    const run = await world.fleet.submit("Go.", { queue: "none", attempts: 1 });
    await expect(run.result()).rejects.toMatchObject({ code: "cli_not_found" });
    await until(() => !existsSync(folderOf(run)));
  });

  it("is removed when the run is cancelled while it waits for a person", async () => {
    const { run, worker } = await parkedRun("parked");
    await run.cancel("Not needed.");
    await until(() => !existsSync(folderOf(run)));
    await worker.close();
  });

  it("is removed at the start of a worker if the run has ended without one", async () => {
    const { run, worker } = await parkedRun("left");
    await worker.close();
    expect(existsSync(folderOf(run))).toBe(true);
    await run.cancel("Not needed.");
    const next = await world.work({ labels: ["later"], name: "later" });
    expect(existsSync(folderOf(run))).toBe(false);
    await next.close();
  });

  it("stays if a folder of this name was made by somebody else", async () => {
    const run = await world.fleet.submit("Go.", { queue: "nowhere" });
    await run.cancel("Not needed.");
    mkdirSync(folderOf(run));
    chmodSync(folderOf(run), 0o755);
    const worker = await world.work({ labels: ["strange"], name: "strange" });
    await worker.close();
    expect(existsSync(folderOf(run))).toBe(true);
    rmSync(folderOf(run), { recursive: true });
  });
});
