// The scenario of the fake CLI in a cell: it reaches the step, reports that, and then has the fault.
import { randomFrom } from "../soak/plan.js";
import { STEPS, signalOf } from "./plan.js";

export const ANSWER = "The bowline holds.";
/** The text before the fault, at all steps that come after it. */
export const BEGINNING = "The bow";
/** Printed to stderr when the CLI has reached the step. */
export const AT_STEP = "chaos: at the step";
/** Printed to stderr when the turn has begun, before the step. */
export const UP = "chaos: up";
/** Printed to stderr to ask the host for an interrupt. */
export const GO = "chaos: go";
export const DENIED = "Bash(rm:*)";
export const VERSION = "2.1.325 (Claude Code)";

export function scenarioOf(cell, record) {
  const { step } = cell;
  const first = (on, actions, more = {}) => ({ on, process: 1, ...more, do: actions });
  const faulty = {
    version: () => [{ on: "version", do: [...broken(cell), { default: true }] }],
    start: () => [first("start", broken(cell))],
    initialize: () => [first("initialize", [...broken(cell), { default: true }]), ...notYet(cell)],
    initialized: () => [first("initialize", [{ default: true }, ...broken(cell)]), ...notYet(cell)],
    settings: () => [
      first("control", [...broken(cell), SETTINGS], { subtype: "get_settings" }),
      ...notYet(cell),
    ],
    eof: () => [first("eof", [...broken(cell), { default: true }])],
    clear: () => [first("clear", [...broken(cell), { default: true }])],
    interrupt: () => [
      first("user", [...linger(cell), ...BEGUN, { stderr: `${GO}\n` }]),
      first("control", [...broken(cell), { respond: {} }, INTERRUPTED], { subtype: "interrupt" }),
    ],
  };
  const steps = faulty[step]?.() ?? turn(cell).map((each) => ({ ...each, process: 1 }));
  const usual = turn({ step: isAsking(cell) ? "permission" : "prompt" });
  return { version: VERSION, record, steps: [...steps, SETTINGS_STEP, ...usual] };
}

export function isAsking({ step }) {
  return STEPS[step].asking === true;
}

const SETTINGS = {
  respond: {
    sources: [{ source: "flagSettings", settings: { permissions: { deny: [DENIED] } } }],
  },
};
const SETTINGS_STEP = { on: "control", subtype: "get_settings", times: "always", do: [SETTINGS] };

const INTERRUPTED = {
  result: {
    subtype: "error_during_execution",
    is_error: true,
    terminal_reason: "aborted_streaming",
  },
};

const PARTIAL = {
  emit: {
    type: "stream_event",
    event: {
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: BEGINNING },
    },
    parent_tool_use_id: null,
    session_id: "5e55101d-0000-4000-8000-000000000000",
    uuid: "aaaaaaaa-0000-4000-8000-000000000000",
  },
};
const BEGUN = [{ init: {} }, PARTIAL];

/** A CLI that is not ready ignores a prompt that has arrived. */
function notYet({ fault }) {
  if (fault === "garbage" || fault === "stdin") return [];
  return [{ on: "user", process: 1, times: "always", do: [{ hang: true }] }];
}

/** A turn, with the fault if its step is in the turn. */
function turn(cell) {
  const at = (step) => (cell.step === step && cell.fault !== undefined ? broken(cell) : []);
  return isAsking(cell) ? upToFault(cell, askingTurn(cell, at)) : plainTurn(cell, at);
}

/** A stopped CLI does not continue after an answer of the host. */
function upToFault({ step, fault }, steps) {
  const last = ["permission", "hook", "tool"].indexOf(step);
  if (last < 0 || fault === undefined || fault === "garbage") return steps;
  return [...steps.slice(0, last + 1), { on: "response", times: "always", do: [] }];
}

function plainTurn(cell, at) {
  const { step, fault, cutAt } = cell;
  const halves = (line) => {
    const cut = cutOf(line, cutAt);
    return [line.slice(0, cut), line.slice(cut)].map((write) => ({ write }));
  };
  const [begun, rest] = step === "middle" ? halves(LINES.assistant) : [{ assistant: ANSWER }];
  const [halfResult, otherHalf] =
    step === "half" ? halves(LINES.result) : [{ result: { result: ANSWER } }];
  const actions = [
    ...at("prompt"),
    ...linger(cell),
    { init: {} },
    ...at("init"),
    PARTIAL,
    begun,
    ...(rest === undefined ? [] : [...at("middle"), rest]),
    halfResult,
    ...(otherHalf === undefined ? [] : [...at("half"), otherHalf]),
    ...at("result"),
  ];
  return [{ on: "user", times: fault === undefined ? "always" : 1, do: actions }];
}

function linger(cell) {
  const sleep = lingerOf(cell);
  return sleep === 0 ? [] : [{ stderr: `${UP}\n` }, { sleep }];
}

/** How much longer the turn takes: 0 if the cell waits for a limit, or the step is before the turn. */
export function lingerOf({ step, fault, lingerMs = 0 }) {
  return fault === undefined || fault === "stall" || !LINGERS.has(step) ? 0 : lingerMs;
}

const LINGERS = new Set([
  "init",
  "middle",
  "permission",
  "hook",
  "tool",
  "half",
  "result",
  "interrupt",
]);

/** The CLI sends the host one request after the other, and continues after each answer. */
function askingTurn(cell, at) {
  const ask = (id, request) => ({ emit: { type: "control_request", request_id: id, request } });
  const tool = { tool_name: "Bash", tool_use_id: TOOL };
  return [
    {
      on: "user",
      do: [
        ...linger(cell),
        ...BEGUN,
        { assistant: [{ type: "tool_use", id: TOOL, name: "Bash", input: {} }] },
        ask("ask-1", { subtype: "can_use_tool", ...tool, input: {} }),
        ...at("permission"),
      ],
    },
    {
      on: "response",
      do: [
        ask("ask-2", {
          subtype: "hook_callback",
          callback_id: "hook_0",
          tool_use_id: TOOL,
          input: { hook_event_name: "PreToolUse", ...tool, tool_input: {} },
        }),
        ...at("hook"),
      ],
    },
    {
      on: "response",
      do: [
        ask("ask-3", { subtype: "mcp_message", server_name: "chaos", message: TOOL_CALL }),
        ...at("tool"),
      ],
    },
    {
      on: "response",
      do: [TOOL_RESULT, { assistant: ANSWER }, { result: { result: ANSWER } }],
    },
  ];
}

const TOOL = "toolu_chaos";
const TOOL_CALL = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "wait", arguments: {} },
};
const TOOL_RESULT = {
  emit: {
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: TOOL, content: "ok" }] },
    parent_tool_use_id: null,
    session_id: "5e55101d-0000-4000-8000-000000000000",
  },
};

/** The mark and the fault. Whatever still works afterwards continues. */
function broken(cell) {
  const mark = { stderr: `${AT_STEP}\n` };
  switch (cell.fault) {
    case "kill":
    case "term":
      if (signalOf(cell) !== undefined) return [mark, HANG];
      return [mark, { die: cell.fault === "kill" ? "SIGKILL" : "SIGTERM" }];
    case "stall":
      return cell.stalls === "deaf" ? [{ stopReading: true }, mark, HANG] : [mark, HANG];
    case "garbage":
      return [mark, garbage(cell)];
    case "cut":
      return [mark, { write: cutLine(cell) }, ending(cell)];
    case "stdin":
      // At once, so that the CLI has not read the next line.
      return [{ closeStdin: true }, mark];
    default:
      return [mark, { closeStdout: true }, HANG];
  }
}

const HANG = { hang: true };

function ending({ cutEnds }) {
  return cutEnds === "SIGKILL" ? { die: cutEnds } : { exit: Number(cutEnds) };
}

function cutLine({ step, cutAt }) {
  const line = step === "version" ? VERSION : LINES.assistant;
  return line.slice(0, cutOf(line, cutAt));
}

/** Never empty, and never the whole line. */
function cutOf(line, cutAt) {
  return 1 + Math.floor(cutAt * (line.trimEnd().length - 1));
}

const OF_SESSION = { session_id: "5e55101d-0000-4000-8000-000000000000", uuid: "b-0" };
const LINES = {
  assistant: line({
    type: "assistant",
    message: {
      id: "msg_chaos",
      type: "message",
      role: "assistant",
      model: "fake-model",
      content: [{ type: "text", text: ANSWER }],
      usage: { input_tokens: 10, output_tokens: 1 },
    },
    parent_tool_use_id: null,
    ...OF_SESSION,
  }),
  result: line({
    type: "result",
    subtype: "success",
    is_error: false,
    num_turns: 1,
    result: ANSWER,
    total_cost_usd: 0,
    usage: { input_tokens: 10, output_tokens: 5 },
    modelUsage: {},
    permission_denials: [],
    ...OF_SESSION,
  }),
};

function line(message) {
  return `${JSON.stringify(message)}\n`;
}

/** Whole lines that are no messages. */
function garbage({ garbage: kind, noise }) {
  const random = randomFrom(noise);
  const bytes = Buffer.from(Array.from({ length: 300 }, () => Math.floor(random() * 256)));
  // None of these bytes may end the line, or begin a line like a message.
  const dull = Buffer.from(bytes.map((byte) => (byte === 0x0a || byte === 0x7b ? 0x20 : byte)));
  const kinds = [
    { write: "npm warn: something is old\n" },
    { write: "42\nnull\n[1,2,3]\n" },
    { write: "\n\n   \n\r\n" },
    {
      write: Buffer.from(`x${dull.toString("latin1")}\n`, "latin1").toString("base64"),
      encoding: "base64",
    },
    { write: `${"x".repeat(70_000)}\n`, chunkBytes: 7_000 },
    { write: "\u0000\u0001\ufeff\u2028 …\n", chunkBytes: 1 },
    { write: '{"type":"chaos_of_a_later_version","fields":{"of":"no known shape"}}\n' },
  ];
  return kinds[kind];
}
