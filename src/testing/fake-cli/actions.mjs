// What each action of a scenario does, and what happens where none is given.
import { setTimeout as sleep } from "node:timers/promises";
import { clear, said } from "./conversation.mjs";
import { startGrandchild } from "./grandchild.mjs";
import { closeStdin, stopReading } from "./input.mjs";
import {
  hasFailed,
  initializeAnswer,
  printAssistant,
  printInit,
  printResult,
} from "./messages.mjs";
import { answer, closeStdout, fail, write, writeError } from "./output.mjs";
import { takeStep, version } from "./scenario.mjs";

/** Runs the step for an event, or the default. */
export async function handle(trigger, message) {
  const step = takeStep(trigger, message.request?.subtype);
  const event = { trigger, message };
  if (step === undefined) return DEFAULTS[trigger](event);
  for (const action of step.do) await perform(action, event);
}

const DEFAULTS = {
  version: () => write(`${version}\n`),
  start: () => {},
  initialize: (event) => perform({ respond: initializeAnswer() }, event),
  control: (event) => perform({ respond: {} }, event),
  user: (event) => perform({ turn: "ok" }, event),
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
  turn: async (text, _, event) => {
    await perform({ init: {} }, event);
    await perform({ assistant: text }, event);
    await perform({ result: { result: text } }, event);
  },
  turnEcho: (_, __, event) => perform({ turn: said() }, event),
  clear: (fields, how, event) => clear(fields, how, event.message),
  init: (fields) => printInit(fields),
  assistant: (content) => printAssistant(content),
  result: (fields, _, event) => printResult(fields, event.message.uuid),
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
  longLine: (bytes) => printAssistant("x".repeat(bytes)),
  stderr: (text, { times = 1 }) => writeError(text.repeat(times)),
  sleep: (ms) => sleep(ms),
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

async function perform(action, event) {
  const [name = ""] = Object.keys(action);
  const known = Object.hasOwn(ACTIONS, name);
  if (!known) await fail(70, `fake cli: unknown action ${JSON.stringify(action)}`);
  await ACTIONS[name](action[name], action, event);
}
