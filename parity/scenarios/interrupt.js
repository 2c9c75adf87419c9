// Stopping a turn, and continuing.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { hang, toolUse } from "hawser/testing";
import { collect, Input, outcome, plain } from "../observe.js";

/** Runs until it is stopped, because nothing writes to the pipe. */
const wait = toolUse("Bash", {
  command: "mkfifo pipe; touch running; cat pipe",
  description: "wait",
});

export const scenarios = {
  async "in mid-stream, then another turn"(sdk, place) {
    place.model.add(hang("half an ans"), "whole");
    return interrupted(sdk, place, { includePartialMessages: true }, isHalf);
  },

  async "before the first byte"(sdk, place) {
    place.model.add(hang(), "whole");
    const asked = place.model.waitFor(({ kind }) => kind === "call");
    return interrupted(sdk, place, {}, undefined, asked);
  },

  async "in mid-tool, then another turn"(sdk, place) {
    place.model.add(wait, "whole");
    const running = appeared(join(place.cwd, "running"));
    return interrupted(sdk, place, { allowedTools: ["Bash"] }, undefined, running);
  },

  async "while a permission is asked for"(sdk, place) {
    place.model.add(toolUse("Bash", { command: "touch made", description: "make" }), "whole");
    const aborted = [];
    let asked;
    const pending = new Promise((resolve) => {
      asked = resolve;
    });
    const canUseTool = (_name, _input, { signal }) =>
      new Promise((resolve) => {
        asked();
        signal.addEventListener("abort", () => {
          aborted.push(plain(signal));
          resolve({ behavior: "deny", message: "too late" });
        });
      });
    const seen = await interrupted(sdk, place, { canUseTool }, undefined, pending);
    return { ...seen, aborted };
  },

  async "with prompts in the queue"(sdk, place) {
    place.model.add(hang("half an ans"), "the queued one");
    const input = new Input();
    const ids = [1, 2].map((n) => `00000000-0000-4000-8000-00000000000${n}`);
    input.say("first", { uuid: ids[0] });
    const options = place.options({ includePartialMessages: true });
    const query = sdk.query({ prompt: input, options });
    const receipts = [];
    let results = 0;
    const seen = await collect(query, async (message) => {
      if (isHalf(message)) input.say("second", { uuid: ids[1] });
      if (message.command_uuid === ids[1] && message.state === "queued") {
        receipts.push(await outcome(query.interrupt()));
      }
      if (message.type === "result") results += 1;
      if (results === 2) input.end();
    });
    return { ...seen, receipts };
  },

  async "when nothing runs"(sdk, place) {
    place.model.add("one", "two");
    const input = new Input("first");
    const query = sdk.query({ prompt: input, options: place.options() });
    const receipts = [];
    let results = 0;
    const seen = await collect(query, async (message) => {
      if (message.type !== "result") return;
      results += 1;
      if (results === 2) return input.end();
      receipts.push(await outcome(query.interrupt()));
      input.say("second");
    });
    return { ...seen, receipts };
  },

  async "with a string prompt"(sdk, place) {
    place.model.add(hang("half an ans"));
    const options = place.options({ includePartialMessages: true });
    const query = sdk.query({ prompt: "go", options });
    const receipts = [];
    const seen = await collect(query, async (message) => {
      if (isHalf(message)) receipts.push(await outcome(query.interrupt()));
    });
    return { ...seen, receipts };
  },
};

async function appeared(path) {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 20));
}

function isHalf(message) {
  return message.event?.delta?.text === "half an ans";
}

/** Interrupts at a message or after a time, then sends one more prompt. */
async function interrupted(sdk, place, more, at, moment) {
  const input = new Input("first");
  const query = sdk.query({ prompt: input, options: place.options(more) });
  const receipts = [];
  const interrupt = async () => receipts.push(await outcome(query.interrupt()));
  const atMoment = moment?.then(interrupt);
  let results = 0;
  const seen = await collect(query, async (message) => {
    if (at?.(message)) await interrupt();
    if (message.type !== "result") return;
    results += 1;
    if (results === 1) input.say("second");
    else input.end();
  });
  await atMoment;
  return { ...seen, receipts };
}
