#!/usr/bin/env node
// The program behind fakeCli(), which copies it and the files beside it next to a scenario.json.
// Started from here, it plays the file that HAWSER_FAKE_SCENARIO names.
// It shares no code with the library, so that it cannot share its bugs.
import { handle } from "./actions.mjs";
import { takeInitialize } from "./controls.mjs";
import { isClear, remember, tellModel } from "./conversation.mjs";
import { hostIsGone, takeAnswer } from "./host.mjs";
import { readLines } from "./input.mjs";
import { argv, asksVersion, record } from "./scenario.mjs";
import { allDone, enqueue } from "./turn.mjs";

async function main() {
  // Keeps the process alive until it exits explicitly, even if the pipes close.
  setInterval(() => {}, 2 ** 30);
  process.stdout.on("error", () => process.exit(0));
  process.stderr.on("error", () => {});
  record({ event: "start", argv, env: process.env, cwd: process.cwd() });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    process.on(signal, () => {
      record({ event: "signal", signal });
      handle(signal, {});
    });
  }
  if (asksVersion) {
    await handle("version", {});
    process.exit(0);
  }
  await handle("start", {});
  readLines(receive, async () => {
    record({ event: "eof" });
    hostIsGone();
    await allDone();
    await handle("eof", {});
  });
}

function receive(line) {
  if (line.trim() === "") return;
  record({ event: "line", line });
  const message = parse(line);
  // The CLI takes a reply into the conversation at once, before prompts that wait.
  if (message.type === "assistant") tellModel(message.message);
  if (message.type === "user") enqueue(message, () => prompt(message));
  else if (message.type === "control_response") takeAnswer(message) || handle("response", message);
  else if (message.type !== "control_request") handle("line", message);
  else if (message.request?.subtype !== "initialize") handle("control", message);
  else {
    takeInitialize(message.request);
    handle("initialize", message);
  }
}

function prompt(message) {
  if (isClear(message)) return handle("clear", message);
  remember(message);
  return handle("user", message);
}

function parse(line) {
  try {
    return Object(JSON.parse(line));
  } catch {
    return { unparsed: line };
  }
}

await main();
