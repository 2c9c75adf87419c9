import type { Logger, SessionOptions } from "hawser";
import { toolUse } from "hawser/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collect } from "../support/collect.js";
import { until } from "../support/host-world.js";
import { WorkerWorld } from "./worker-world.helper.js";

let world: WorkerWorld;
beforeAll(async () => {
  world = await WorkerWorld.create();
});
afterAll(() => world[Symbol.asyncDispose]());

/** A profile that only shows with a run that no CLI can be started with it. */
const broken = (options: SessionOptions = { cliPath: "/nowhere/claude" }) => ({
  default: () => ({ ...world.profile, ...options }),
});

describe("fleet.work()", () => {
  it.each([
    ["cli_not_found", { cliPath: "/nowhere/claude" }],
    ["cwd_not_found", { cwd: "/nowhere" }],
    ["invalid_options", { alowedTools: ["Bash"] } as SessionOptions],
  ] as const)("refuses with %s what no run could start with", async (code, profile) => {
    await expect(world.work({ labels: ["refused"] }, profile)).rejects.toMatchObject({ code });
    expect((await world.fleet.stats()).hosts).toEqual([]);
  });

  it("does not look at the folder of a profile if it has a workspace", async () => {
    const workspace = async () => ({ cwd: "/" });
    const worker = await world.work({ labels: ["elsewhere"], workspace }, { cwd: "/nowhere" });
    await worker.close();
  });
});

describe("a host on which no CLI starts", () => {
  it("leaves its runs to a worker that has not tried them, and uses up none of their attempts", async () => {
    const labels = ["mixed"];
    const logged: unknown[] = [];
    const note = (message: string, fields?: object) => logged.push({ message, ...fields });
    const logger: Logger = { debug() {}, info: note, warn: note, error: note };
    await world.work({ labels, name: "bad", slots: 4, profiles: broken(), logger });
    await world.work({ labels, name: "good", slots: 1 });
    const runs = await Promise.all(
      Array.from({ length: 6 }, () =>
        world.fleet.submit(`${world.agent(() => "Done.")} Go.`, { queue: "mixed", attempts: 1 }),
      ),
    );
    for (const run of runs) {
      expect(await run.result()).toMatchObject({ text: "Done." });
      expect(await run.info()).toMatchObject({ deaths: 0, host: "good" });
    }
    expect(logged).toContainEqual(
      expect.objectContaining({
        message: "segment ends",
        end: "crashed",
        code: "cli_not_found",
        reason: expect.stringContaining("/nowhere/claude"),
      }),
    );
  });

  it.each([
    ["cli_not_found", { cliPath: "/nowhere/claude" }],
    ["cwd_not_found", { cwd: "/nowhere" }],
    ["invalid_options", { alowedTools: ["Bash"] } as SessionOptions],
  ] as const)(
    "fails its runs with %s after their attempts if there is no other",
    async (code, options) => {
      const profiles = broken(options);
      const worker = await world.work({ labels: [code], name: code, profiles });
      const run = await world.fleet.submit("Go.", { queue: code, attempts: 2 });
      await expect(run.result()).rejects.toMatchObject({ code });
      expect(await run.info()).toMatchObject({ deaths: 2, segments: 2 });
      const lost = (await collect(run.events())).filter(({ type }) => type === "lost");
      expect(lost).toMatchObject([{ error: { code } }, { error: { code }, isLast: true }]);
      expect(lost[0]).not.toHaveProperty("isLast");
      await worker.close();
    },
  );

  it("fails its runs also if all workers have the fault", async () => {
    const labels = ["bad"];
    for (const name of ["one", "two"]) await world.work({ labels, name, profiles: broken() });
    const run = await world.fleet.submit("Go.", { queue: "bad", attempts: 2 });
    await expect(run.result()).rejects.toMatchObject({ code: "cli_not_found" });
  });

  it("has not begun the call that a person has allowed", async () => {
    const labels = ["allowed"];
    const name = world.agent(({ results }) =>
      results.length === 0
        ? toolUse("Bash", { command: "echo ran >> trace; cat trace", description: "count" })
        : `Heard: ${results.join(" | ")}`,
    );
    const first = await world.work({ labels, name: "asking", holdMs: 0 });
    const run = await world.fleet.submit(`${name} Go.`, { queue: "allowed" });
    await until(async () => (await run.info()).state === "waiting");
    await first.close();
    const [question] = await world.fleet.approvals.pending({ run: run.id });
    await world.fleet.approvals.answer(question?.id ?? "", { behavior: "allow" });
    const bad = await world.work({ labels, name: "unable", profiles: broken() });
    await until(async () => (await run.info()).deaths === 1);
    await bad.close();
    await world.work({ labels, name: "able", holdMs: 0 });
    expect(await run.result()).toMatchObject({ text: "Heard: ran", uncertainTools: [] });
    const asked = (await collect(run.events())).filter(({ type }) => type === "asked");
    expect(asked).toHaveLength(1);
  });
});
