import { existsSync } from "node:fs";
import { toolUse } from "hawser/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collect } from "../support/collect.js";
import { until } from "../support/host-world.js";
import { WorkerWorld } from "./worker-world.helper.js";

let world: WorkerWorld;
beforeAll(async () => {
  world = await WorkerWorld.create();
  await world.work({}, { allowedTools: ["Bash"] });
});
afterAll(() => world[Symbol.asyncDispose]());

describe("a worker", () => {
  it("runs what was submitted, and records the text, the cost and the session", async () => {
    const name = world.agent(() => "A bowline.");
    const run = await world.fleet.submit(`${name} Name a knot.`, { tenant: "plain" });
    const outcome = await run.result();
    expect(outcome).toMatchObject({
      text: "A bowline.",
      stop: "completed",
      costEstimated: false,
      segments: 1,
      uncertainTools: [],
    });
    expect(outcome.costUsd).toBeGreaterThan(0);
    const charges = await world.rows(
      "select cost_usd, estimated from hawser.charge where run_id = $1",
      [run.id],
    );
    expect(charges).toEqual([{ cost_usd: expect.any(String), estimated: false }]);
    expect((await world.fleet.usage("plain")).costUsd).toBeCloseTo(outcome.costUsd, 9);
    const loaded = await world.fleet.sessionStore.load({
      projectKey: "",
      sessionId: outcome.sessionId,
    });
    expect(loaded?.some(({ uuid }) => uuid === run.id)).toBe(true);
  });

  it("writes every tool call down, tells it in the events, and keeps the files of the run in a folder of its own", async () => {
    const name = world.agent(({ results }) =>
      results.length === 0
        ? toolUse("Bash", { command: "echo one >> trace; cat trace; pwd", description: "count" })
        : `Done: ${results[0]}`,
    );
    const run = await world.fleet.submit(`${name} Count.`);
    const { text } = await run.result();
    expect(text).toContain("Done: one");
    const intents = await world.rows("select tool, done from hawser.intent where run_id = $1", [
      run.id,
    ]);
    expect(intents).toEqual([{ tool: "Bash", done: true }]);
    const events = await collect(run.events());
    expect(events.map(({ type }) => type)).toEqual([
      "queued",
      "started",
      "message",
      "tool",
      "message",
      "message",
      "message",
      "ended",
    ]);
    expect(events.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(
      events.map(({ seq }) => seq),
    );
    const folder = text.trim().split("\n").at(-1) ?? "";
    expect(folder).toContain(run.id);
    // The folder is removed after the run is settled.
    await until(() => !existsSync(folder));
  });
});
