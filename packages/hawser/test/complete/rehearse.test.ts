import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, it, onTestFinished } from "vitest";
import { CHANNELS } from "../../src/base/index.js";
import { rehearse } from "../../src/complete/rehearse.js";
import { processes } from "../../src/process/index.js";

it("rehearse() gives the answer of its CLI in memory", async () => {
  expect(await rehearse()).toMatchObject({
    text: "!",
    stop: "completed",
    turns: 1,
    costUsd: 0,
    usage: { input_tokens: 1, output_tokens: 1 },
  });
});

it("rehearse() starts no process and publishes no event", async () => {
  const events: unknown[] = [];
  const listen = (event: unknown) => events.push(event);
  for (const { name } of Object.values(CHANNELS)) {
    subscribe(name, listen);
    onTestFinished(() => void unsubscribe(name, listen));
  }
  const running = rehearse();
  expect(processes()).toEqual([]);
  await running;
  expect(processes()).toEqual([]);
  expect(events).toEqual([]);
});
