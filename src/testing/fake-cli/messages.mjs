// The messages of a well-mannered CLI.
import { randomUUID } from "node:crypto";
import { print, tellState, tellsStates } from "./output.mjs";
import { isNew, version } from "./scenario.mjs";

let results = 0;
let lastFailed = false;
let cost = { total_cost_usd: 0, modelUsage: {} };

/** A turn is surrounded by states once the host has seen some: it then waits for them. */
export async function printInit(fields) {
  if (tellsStates()) await tellState("running");
  await print({ ...initMessage(), ...fields });
}

export async function printResult(fields, uuid) {
  await print(noted({ ...resultMessage(uuid), ...fields }));
  if (tellsStates()) await tellState("idle");
}

/** Remembers what a result says for what comes after it. */
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

export async function printAssistant(content) {
  const id = `msg_fake${randomUUID().replaceAll("-", "")}`;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  for (const block of blocks) await print(assistantMessage(id, block));
}

export function assistantMessage(id, block, fields = {}) {
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
      ...fields,
    },
    parent_tool_use_id: null,
  };
}

/** How a message that no model wrote differs. */
export const SYNTHETIC = {
  model: "<synthetic>",
  stop_reason: "stop_sequence",
  stop_sequence: "",
  usage: { input_tokens: 0, output_tokens: 0 },
};

/** The cost is that of the whole process so far: a turn of ours costs nothing. */
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
    ...cost,
    usage: { input_tokens: 10, output_tokens: 5 },
    permission_denials: [],
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
