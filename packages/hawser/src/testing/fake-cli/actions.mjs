// What each action of a scenario does, and what the fake does at an event without a step.
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { failAtApi } from "./api-error.mjs";
import { startTask } from "./background.mjs";
import { control } from "./controls.mjs";
import { clear, promptOf, said } from "./conversation.mjs";
import { startGrandchild } from "./grandchild.mjs";
import { callHooks } from "./hooks.mjs";
import { ask } from "./host.mjs";
import { closeStdin, stopReading } from "./input.mjs";
import { connected } from "./mcp.mjs";
import {
  hasFailed,
  printAssistant,
  printInit,
  printResult,
  printUser,
  say,
  tellRunning,
} from "./messages.mjs";
import { askModel } from "./model.mjs";
import { answer, closeStdout, fail, print, write, writeError } from "./output.mjs";
import { argv, takeStep, version } from "./scenario.mjs";
import { giveValue, useTool } from "./tool.mjs";
import { goOn, pause, TurnEnd, turn } from "./turn.mjs";

/** Runs the step for an event, or the default. */
export async function handle(trigger, message) {
  const step = takeStep(trigger, message.request?.subtype);
  const event = { trigger, message };
  if (step === undefined) return untilEnd(event, () => DEFAULTS[trigger](event));
  return untilEnd(event, async () => {
    for (const [n, action] of step.do.entries()) {
      if (trigger === "user") goOn();
      await perform(action, { ...event, place: `steps[${step.place}].do[${n}]` });
    }
  });
}

/** A turn may end early. The rest of the step is then skipped. */
async function untilEnd({ message }, work) {
  try {
    await work();
  } catch (end) {
    if (!(end instanceof TurnEnd)) throw end;
    if (end.line !== undefined) await printUser([{ type: "text", text: end.line }]);
    await printResult(end.fields, message.uuid);
  }
}

const DEFAULTS = {
  version: () => write(`${version}\n`),
  start: () => {},
  initialize: control,
  control,
  user: (event) =>
    event.message.shouldQuery === false ? takeUnasked(event) : perform({ turn: "ok" }, event),
  clear: (event) => perform({ clear: {} }, event),
  response: () => {},
  line: ({ message }) => {
    if (typeof message.unparsed !== "string") return undefined;
    return fail(1, `Error parsing streaming input line: ${message.unparsed.slice(0, 80)}`);
  },
  eof: () => process.exit(hasFailed() ? 1 : 0),
  SIGTERM: () => process.exit(143),
  SIGINT: () => process.exit(0),
  SIGHUP: () => process.exit(129),
};

const ACTIONS = {
  emit: (message, { times = 1 }) => write(`${JSON.stringify(message)}\n`.repeat(times)),
  echo: (_, __, { message }) => write(`${JSON.stringify({ type: "echo", line: message })}\n`),
  turn: wholeTurn,
  turnEcho: (_, __, event) => perform({ turn: said() }, event),
  tool: useTool,
  apiError: (status, how, event) =>
    turn.begun ? failAtApi(status, how) : wholeTurn([how], {}, event),
  model: (_, how, event) => {
    if (turn.begun) return askModel();
    // A message of the history asks for no answer.
    return event.message.shouldQuery === false ? takeUnasked(event) : wholeTurn([how], {}, event);
  },
  value: giveValue,
  hook: (event, { input }) => callHooks(event, input),
  ask: (request, { cancelAfterMs }) =>
    ask(request, { limitMs: cancelAfterMs, signal: turn.stop.signal }),
  background: (task) =>
    startTask(task, (parts) => untilEnd(BY_ITSELF, () => wholeTurn(parts, {}, BY_ITSELF))),
  clear: (fields, how, event) => clear(fields, how, event.message),
  init: (fields) => printInit(fields),
  assistant: (content) => printAssistant(content),
  result: (fields, _, event) => printResult(fields, event.message.uuid),
  respond: (payload, _, event) => answer(event, { subtype: "success", response: payload }),
  respondError: (error, _, event) => answer(event, { subtype: "error", error }),
  /** @param {string} text @param {{ encoding?: BufferEncoding, chunkBytes?: number, gapMs?: number }} how */
  write: async (text, { encoding = "utf8", chunkBytes, gapMs = 1 }) => {
    const bytes = Buffer.from(text, encoding);
    if (chunkBytes === undefined) return write(bytes);
    for (let from = 0; from < bytes.length; from += chunkBytes) {
      await write(bytes.subarray(from, from + chunkBytes));
      await sleep(gapMs);
    }
  },
  longLine: (bytes) => printAssistant("x".repeat(bytes)),
  stderr: (text, { times = 1 }) => writeError(text.repeat(times)),
  sleep: (ms, _, { trigger }) => (trigger === "user" ? pause(ms) : sleep(ms)),
  hang: () => new Promise(() => {}),
  exit: (code) => process.exit(code),
  die: (signal) => {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    return new Promise(() => {});
  },
  stopReading,
  closeStdin,
  closeStdout,
  grandchild: startGrandchild,
  default: (_, __, event) => DEFAULTS[event.trigger](event),
};

/** The event of a turn that the CLI starts by itself. */
const BY_ITSELF = { trigger: "task", message: {} };

async function perform(action, event) {
  if (typeof action === "function") return callFunction(action, event);
  const [name = ""] = Object.keys(action);
  const known = Object.hasOwn(ACTIONS, name);
  if (!known) await fail(70, `fake cli: unknown action ${JSON.stringify(action)}`);
  return ACTIONS[name](action[name], action, event);
}

async function callFunction(action, event) {
  try {
    return await action(cliOf(event));
  } catch (error) {
    if (error instanceof TurnEnd) throw error;
    return fail(70, `fake cli: ${event.place} threw ${error}${whereOf(error)}`);
  }
}

/** The stack line in the scenario file, or in a file that it imports. */
function whereOf(error) {
  const [, url] = /(file:\/\/[^\s()]+:\d+:\d+)/.exec(error?.stack ?? "") ?? [];
  return url === undefined ? "" : ` (${fileURLToPath(url)})`;
}

/** Plays a whole turn. A string is a turn with only this text. */
async function wholeTurn(parts, _, event) {
  await tellRunning();
  await connected();
  if (event.trigger === "user" && !(await submit(event))) return;
  await printInit({});
  for (const part of typeof parts === "string" ? [parts] : parts) {
    goOn();
    await (typeof part === "string" || Array.isArray(part) ? say(part) : perform(part, event));
  }
  await stop();
  await printResult({ result: turn.said }, event.message.uuid);
}

/** Whether the hooks allow the prompt. They are called once for each prompt. */
async function submit({ message }) {
  if (turn.submitted) return true;
  turn.submitted = true;
  const prompt = promptOf(message);
  const outputs = await callHooks("UserPromptSubmit", { prompt });
  const block = outputs.find(({ decision }) => decision === "block");
  if (block === undefined) return true;
  const content = `UserPromptSubmit operation blocked by hook:\n${block.reason}\n\nOriginal prompt: ${prompt}`;
  await printInit({});
  await print({ type: "system", subtype: "informational", content, level: "warning" });
  await printResult({ ...NO_TURN, result: content }, message.uuid);
  return false;
}

/** A prompt that is only added to the conversation. */
async function takeUnasked({ message }) {
  await tellRunning();
  await printInit({});
  await printResult({ ...NO_TURN, result: "" }, message.uuid);
}

const NO_TURN = {
  num_turns: 0,
  stop_reason: null,
  terminal_reason: undefined,
  api_error_status: undefined,
};

/** Continues the turn as long as a hook asks for it. */
async function stop() {
  for (let stop_hook_active = false; ; stop_hook_active = true) {
    const fields = { stop_hook_active, last_assistant_message: turn.said, background_tasks: [] };
    const outputs = await callHooks("Stop", fields);
    const block = outputs.find(({ decision }) => decision === "block");
    if (block === undefined) return;
    const text = `Stop hook feedback:\n${block.reason}`;
    await printUser([{ type: "text", text }], { isSynthetic: true });
    await say("ok");
  }
}

/** The argument of a function in a scenario file. */
function cliOf(event) {
  return {
    argv,
    message: event.message,
    prompt: promptOf(event.message),
    print,
    do: async (...actions) => {
      for (const action of actions) await perform(action, event);
    },
    ask: async (request) => {
      const { response, error } = await ask(request, { signal: turn.stop.signal });
      if (error !== undefined) throw new Error(error);
      return response ?? {};
    },
  };
}
