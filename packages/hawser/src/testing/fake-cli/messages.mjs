// The messages of a CLI that works.
import { randomUUID } from "node:crypto";
import { current, streams } from "./flags.mjs";
import { serversNow, toolNames } from "./mcp.mjs";
import { print, tellProgress, tellState, tellsStates } from "./output.mjs";
import { stream } from "./partial.mjs";
import { isNew, scenario, version } from "./scenario.mjs";
import { turn } from "./turn.mjs";

let results = 0;
let lastFailed = false;
let cost = { total_cost_usd: 0, modelUsage: {} };

/** Once the host has seen a state, each turn reports states, because the host then waits for them. */
export async function tellRunning() {
  if (scenario.states || tellsStates()) await tellState("running");
  if (!tellsPrompts() || turn.isTold) return;
  turn.isTold = true;
  await tellProgress(turn.message.uuid, "queued", "started");
}

function tellsPrompts() {
  return scenario.states && isNew();
}

export async function printInit(fields) {
  Object.assign(turn, { over: false, begun: true });
  await tellRunning();
  await print({ ...initMessage(), ...fields });
}

export async function printResult(fields, uuid) {
  const aborted =
    fields.subtype === "error_during_execution" || fields.terminal_reason === "api_error";
  await print(noted({ ...resultMessage(uuid), ...fields }));
  if (tellsPrompts() && !turn.over) {
    await tellProgress(turn.message.uuid, aborted ? "cancelled" : "completed");
  }
  Object.assign(turn, { over: true, begun: false, userLines: 0, denials: [], value: undefined });
  if (tellsStates()) await tellState("idle");
}

/** Remembers the parts of a result that later messages need. */
export function noted(result) {
  lastFailed = result.is_error;
  cost = { total_cost_usd: result.total_cost_usd, modelUsage: result.modelUsage };
  return result;
}

/** Whether the last result was an error. */
export function hasFailed() {
  return lastFailed;
}

export function forgetCost() {
  cost = { total_cost_usd: 0, modelUsage: {} };
}

export function initializeAnswer() {
  return {
    commands: [],
    agents: [],
    models: [],
    account: { apiKeySource: "none" },
    claude_code_version: version.split(" ", 1)[0],
    current_permission_mode: current.mode,
    output_style: "default",
    available_output_styles: ["default"],
    pid: process.pid,
  };
}

export function initMessage() {
  return {
    type: "system",
    subtype: "init",
    cwd: process.cwd(),
    tools: toolNames(),
    mcp_servers: serversNow(),
    model: current.model,
    permissionMode: current.mode,
    slash_commands: [],
    apiKeySource: "none",
    claude_code_version: version.split(" ", 1)[0],
    output_style: "default",
    agents: [],
    skills: [],
    plugins: [],
  };
}

export async function printAssistant(content) {
  const id = messageId();
  for (const block of blocksOf(content)) await print(assistantMessage(id, block));
}

/** Prints an assistant message, also as partial messages if the host asked for them. */
export async function say(content, stopReason = "end_turn") {
  const blocks = blocksOf(content);
  turn.said = blocks.findLast(({ type }) => type === "text")?.text ?? turn.said;
  if (!streams) return printAssistant(blocks);
  const { message } = assistantMessage(messageId());
  const printBlock = (block) => print(assistantMessage(message.id, block));
  return stream(message, blocks, stopReason, printBlock);
}

/**
 * A message that the CLI adds on behalf of the user.
 * @param {string | object[]} content
 * @param {{ isReplay?: boolean, [field: string]: unknown }} [fields]
 */
export async function printUser(content, { isReplay, ...fields } = {}) {
  if (!isReplay) turn.userLines++;
  const message = { role: "user", content };
  await print({ type: "user", message, parent_tool_use_id: null, ...fields, isReplay });
}

function blocksOf(content) {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function messageId() {
  return `msg_fake${randomUUID().replaceAll("-", "")}`;
}

export function assistantMessage(id, block, fields = {}) {
  return {
    type: "assistant",
    message: {
      id,
      type: "message",
      role: "assistant",
      model: current.model,
      content: [block],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 1 },
      ...fields,
    },
    parent_tool_use_id: null,
  };
}

/** The fields of a message that no model wrote. */
export const SYNTHETIC = {
  model: "<synthetic>",
  stop_reason: "stop_sequence",
  stop_sequence: "",
  usage: { input_tokens: 0, output_tokens: 0 },
};

/** The cost is that of the whole process so far. A turn of the fake costs nothing. */
function resultMessage(uuid) {
  return {
    type: "result",
    subtype: "success",
    is_error: false,
    api_error_status: null,
    num_turns: 1 + turn.userLines,
    result: turn.value === undefined ? "" : turn.said,
    stop_reason: turn.value === undefined ? "end_turn" : "tool_use",
    terminal_reason: "completed",
    duration_ms: 1,
    duration_api_ms: 1,
    ...cost,
    usage: { input_tokens: 10, output_tokens: 5 },
    permission_denials: turn.denials,
    structured_output: turn.value,
    origin: turn.origin,
    result_index: results++,
    ...answered(uuid),
  };
}

/** The result of a reset, which called no model. */
export function clearResult(command, uuid) {
  const message = {
    type: "result",
    subtype: "success",
    is_error: false,
    num_turns: 0,
    result: "",
    stop_reason: null,
    duration_ms: 1,
    duration_api_ms: 0,
    ...cost,
    usage: { input_tokens: 0, output_tokens: 0 },
    permission_denials: [],
  };
  const index = results++;
  if (!isNew()) return message;
  return {
    ...message,
    local_command: command,
    queued_turn_count: 0,
    model_usage_since_last_result: {},
    result_index: index,
    ...answered(uuid),
  };
}

function answered(uuid) {
  return uuid === undefined ? {} : { user_message_uuid: uuid, user_message_uuids: [uuid] };
}
