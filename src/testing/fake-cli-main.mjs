#!/usr/bin/env node
// The program behind fakeCli(). One file without imports of ours: it is copied beside its scenario.json.
// It shares no code with the library, so that it cannot share its bugs.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, closeSync, openSync, readFileSync } from "node:fs";
import { devNull } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const scenario = JSON.parse(readFileSync(here("./scenario.json"), "utf8"));
const steps = (scenario.steps ?? []).map((step) => ({ ...step, left: step.times ?? 1 }));
const version = scenario.version ?? "2.1.325 (Claude Code)";
const argv = process.argv.slice(2);
const sessionId =
  argv.find((arg) => arg.startsWith("--session-id="))?.slice("--session-id=".length) ??
  randomUUID();

let turns = Promise.resolve();
let results = 0;
let lastFailed = false;
let stdoutOpen = true;
let reading = true;

async function main() {
  // Lives until something here says exit, whatever becomes of the pipes.
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
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
    await handle("version", {});
    process.exit(0);
  }
  await handle("start", {});
  if (reading) readStdin();
}

/** Runs the step for an event, or the default. */
async function handle(trigger, message) {
  const subtype = message.request?.subtype;
  const step = steps.find(
    (step) =>
      step.on === trigger &&
      (step.subtype === undefined || step.subtype === subtype) &&
      step.left !== 0,
  );
  const event = { trigger, message };
  if (step === undefined) return DEFAULTS[trigger](event);
  if (step.left !== "always") step.left--;
  for (const action of step.do) await perform(action, event);
}

const DEFAULTS = {
  version: () => write(`${version}\n`),
  start: () => {},
  initialize: (event) => perform({ respond: initializeAnswer() }, event),
  control: (event) => perform({ respond: {} }, event),
  user: (event) => perform({ turn: "ok" }, event),
  response: () => {},
  line: ({ message }) => {
    if (typeof message.unparsed !== "string") return undefined;
    return fail(1, `Error parsing streaming input line: ${message.unparsed.slice(0, 80)}`);
  },
  eof: () => process.exit(lastFailed ? 1 : 0),
  SIGTERM: () => process.exit(143),
  SIGINT: () => process.exit(0),
  SIGHUP: () => process.exit(129),
};

const ACTIONS = {
  emit: (message, { times = 1 }) => write(`${JSON.stringify(message)}\n`.repeat(times)),
  echo: (_, __, { message }) => write(`${JSON.stringify({ type: "echo", line: message })}\n`),
  turn: async (text, _, event) => {
    await perform({ init: {} }, event);
    await perform({ assistant: text }, event);
    await perform({ result: { result: text } }, event);
  },
  init: (fields) => print({ ...initMessage(), ...fields }),
  assistant: async (content) => {
    const id = `msg_fake${randomUUID().replaceAll("-", "")}`;
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    for (const block of blocks) await print(assistantMessage(id, block));
  },
  result: (fields, _, event) => {
    const message = { ...resultMessage(event.message.uuid), ...fields };
    lastFailed = message.is_error;
    return print(message);
  },
  respond: (payload, _, event) => answer(event, { subtype: "success", response: payload }),
  respondError: (error, _, event) => answer(event, { subtype: "error", error }),
  write: async (text, { encoding = "utf8", chunkBytes, gapMs = 1 }) => {
    const bytes = Buffer.from(text, encoding);
    if (chunkBytes === undefined) return write(bytes);
    for (let from = 0; from < bytes.length; from += chunkBytes) {
      await write(bytes.subarray(from, from + chunkBytes));
      await sleep(gapMs);
    }
  },
  longLine: (bytes) => perform({ assistant: "x".repeat(bytes) }),
  stderr: (text, { times = 1 }) =>
    new Promise((resolve) => process.stderr.write(text.repeat(times), () => resolve())),
  sleep: (ms) => sleep(ms),
  hang: () => new Promise(() => {}),
  exit: (code) => process.exit(code),
  die: (signal) => {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    return new Promise(() => {});
  },
  stopReading: () => {
    reading = false;
    process.stdin.removeAllListeners("data").removeAllListeners("end").pause();
  },
  closeStdin: () => {
    reading = false;
    process.stdin.destroy();
    reopen(0, "r");
  },
  closeStdout: () => {
    stdoutOpen = false;
    reopen(1, "w");
  },
  grandchild: startGrandchild,
  default: (_, __, event) => DEFAULTS[event.trigger](event),
};

/** Closes a standard stream for real, and takes its number again, so that no other file gets it. */
function reopen(fd, mode) {
  closeSync(fd);
  openSync(devNull, mode);
}

async function perform(action, event) {
  const [name = ""] = Object.keys(action);
  const known = Object.hasOwn(ACTIONS, name);
  if (!known) await fail(70, `fake cli: unknown action ${JSON.stringify(action)}`);
  await ACTIONS[name](action[name], action, event);
}

function readStdin() {
  let parts = [];
  process.stdin.on("data", (chunk) => {
    let from = 0;
    for (let lf = chunk.indexOf(10); lf !== -1 && reading; lf = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, lf)]).toString("utf8");
      parts = [];
      from = lf + 1;
      receive(line);
    }
    parts.push(chunk.subarray(from));
  });
  process.stdin.on("end", () => {
    const rest = Buffer.concat(parts).toString("utf8");
    if (rest.trim() !== "") receive(rest);
    record({ event: "eof" });
    turns = turns.then(() => handle("eof", {}));
  });
  process.stdin.on("error", () => {});
}

function receive(line) {
  if (line.trim() === "") return;
  record({ event: "line", line });
  const message = parse(line);
  if (message.type === "user") turns = turns.then(() => handle("user", message));
  else if (message.type === "control_response") handle("response", message);
  else if (message.type !== "control_request") handle("line", message);
  else handle(message.request?.subtype === "initialize" ? "initialize" : "control", message);
}

function parse(line) {
  try {
    return Object(JSON.parse(line));
  } catch {
    return { unparsed: line };
  }
}

/** Resolves when the host has taken the bytes, so that a host that does not read stalls us. */
function write(data) {
  if (!stdoutOpen) return undefined;
  return new Promise((resolve) => process.stdout.write(data, () => resolve()));
}

function print(message) {
  return write(`${JSON.stringify({ ...message, session_id: sessionId, uuid: randomUUID() })}\n`);
}

function answer(event, response) {
  const { subtype, ...rest } = response;
  const request_id = event.message.request_id;
  return write(
    `${JSON.stringify({ type: "control_response", response: { subtype, request_id, ...rest } })}\n`,
  );
}

async function fail(code, text) {
  await perform({ stderr: `${text}\n` });
  process.exit(code);
}

function record(entry) {
  try {
    const file = scenario.record ?? here("./record.jsonl");
    appendFileSync(file, `${JSON.stringify({ pid: process.pid, ...entry })}\n`);
  } catch {
    // Run as another user, the fake may not write there; it then leaves no record.
  }
}

/** Announced only when it is past its own start, so that a signal finds it as it is meant to be. */
async function startGrandchild({ seconds = 300, ignoreSigterm = false, inheritOutput = false }) {
  const code = [
    ignoreSigterm ? 'process.on("SIGTERM", () => {});' : "",
    `setTimeout(() => {}, ${seconds * 1000});`,
    'require("node:fs").writeSync(3, "up"); require("node:fs").closeSync(3);',
  ].join("\n");
  const output = inheritOutput ? "inherit" : "ignore";
  const child = spawn(process.execPath, ["-e", code], {
    detached: true,
    stdio: ["ignore", output, output, "pipe"],
  });
  await new Promise((resolve) => child.stdio[3].once("data", resolve));
  child.stdio[3].destroy();
  child.unref();
  await print({ type: "system", subtype: "fake_grandchild", pid: child.pid });
}

function initializeAnswer() {
  return {
    commands: [],
    agents: [],
    models: [],
    account: { apiKeySource: "none" },
    output_style: "default",
    available_output_styles: ["default"],
    pid: process.pid,
  };
}

function initMessage() {
  return {
    type: "system",
    subtype: "init",
    cwd: process.cwd(),
    tools: [],
    mcp_servers: [],
    model: "fake-model",
    permissionMode: "default",
    slash_commands: [],
    apiKeySource: "none",
    claude_code_version: version.split(" ", 1)[0],
    output_style: "default",
    agents: [],
    skills: [],
    plugins: [],
  };
}

function assistantMessage(id, block) {
  return {
    type: "assistant",
    message: {
      id,
      type: "message",
      role: "assistant",
      model: "fake-model",
      content: [block],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 1 },
    },
    parent_tool_use_id: null,
  };
}

function resultMessage(uuid) {
  return {
    type: "result",
    subtype: "success",
    is_error: false,
    api_error_status: null,
    num_turns: 1,
    result: "",
    stop_reason: "end_turn",
    terminal_reason: "completed",
    duration_ms: 1,
    duration_api_ms: 1,
    total_cost_usd: 0,
    usage: { input_tokens: 10, output_tokens: 5 },
    modelUsage: {},
    permission_denials: [],
    result_index: results++,
    ...(uuid === undefined ? {} : { user_message_uuid: uuid, user_message_uuids: [uuid] }),
  };
}

await main();
