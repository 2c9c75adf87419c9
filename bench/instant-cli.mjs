#!/usr/bin/env node
// Plays the CLI: answers each prompt with BENCH_EVENTS pieces of text, in large blocks or, with
// BENCH_GAP_MS, each by itself. `/clear` begins a new conversation. Each result line tells when the prompt
// was read and when the line was written, by the clock that all processes of a machine share.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const EVENTS = Number(process.env.BENCH_EVENTS);
const GAP_MS =
  process.env.BENCH_GAP_MS === undefined ? undefined : Number(process.env.BENCH_GAP_MS);
const LINES_IN_A_BLOCK = 200;

const ID = "msg_0123456789abcdef01234567";
const USAGE = { input_tokens: 10, output_tokens: 1 };
const BODY = { id: ID, type: "message", role: "assistant", model: "claude-opus-5-5", usage: USAGE };
const PIECE = "the function returns a value when ";
/** The simulated model gives the same answer; see hosts/places.js. */
const ANSWER = "Here it is.";

let conversation = newConversation();

if (process.argv[2] === "--version" || process.argv[2] === "-v") {
  process.stdout.write("2.1.325 (Claude Code)\n");
} else {
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (text) => {
    const readAt = process.hrtime.bigint();
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) receive(JSON.parse(line), readAt);
  });
}

function receive(message, readAt) {
  if (message.type === "control_request") confirm(message);
  if (message.type !== "user") return;
  if (isClear(message)) clear(message.uuid);
  else void speak(message.uuid, readAt);
}

function confirm({ request_id, request }) {
  const initialized = { commands: [], agents: [], models: [], account: {}, pid: process.pid };
  const response = request.subtype === "initialize" ? initialized : {};
  print({ type: "control_response", response: { subtype: "success", request_id, response } });
}

function isClear({ message }) {
  const { content } = message;
  return content === "/clear" || (content.length === 1 && content[0].text === "/clear");
}

function clear(uuid) {
  conversation = newConversation();
  print({ ...result(uuid), num_turns: 0, result: "", local_command: "clear" });
}

async function speak(uuid, readAt) {
  const { stamp, blocks } = conversation;
  print({
    type: "system",
    subtype: "init",
    cwd: process.cwd(),
    tools: [],
    mcp_servers: [],
    model: BODY.model,
    permissionMode: "default",
    slash_commands: [],
    apiKeySource: "none",
    claude_code_version: "2.1.325",
    ...stamp,
  });
  for (const block of blocks) {
    process.stdout.write(block);
    if (GAP_MS !== undefined) await sleep(GAP_MS);
  }
  // All but the time is made before the time is taken.
  const line = lineOf({ ...result(uuid), readAt: String(readAt), writtenAt: "" });
  const at = line.lastIndexOf('""') + 1;
  const [head, tail] = [line.slice(0, at), line.slice(at)];
  process.stdout.write(`${head}${process.hrtime.bigint()}${tail}`);
}

function result(uuid) {
  return {
    type: "result",
    subtype: "success",
    is_error: false,
    num_turns: 1,
    result: ANSWER,
    stop_reason: "end_turn",
    terminal_reason: "completed",
    duration_ms: 1,
    duration_api_ms: 1,
    total_cost_usd: 0,
    usage: USAGE,
    modelUsage: {},
    permission_denials: [],
    ...(uuid === undefined ? {} : { user_message_uuid: uuid, user_message_uuids: [uuid] }),
    ...conversation.stamp,
  };
}

/** The pieces are made before the caller waits for them. */
function newConversation() {
  const stamp = {
    session_id: randomUUID(),
    parent_tool_use_id: null,
    uuid: "5b8a1c7e-0d2f-4e61-8a94-3c5d7e9f1a2b",
  };
  return { stamp, blocks: blocksOf(Array.from(answer(stamp), lineOf)) };
}

function* answer(stamp) {
  const event = (event) => ({ type: "stream_event", event, ...stamp, api_message_id: ID });
  yield event({ type: "message_start", message: { ...BODY, content: [] } });
  yield event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  const delta = { type: "text_delta", text: PIECE };
  for (let count = 0; count < EVENTS; count += 1) {
    yield event({ type: "content_block_delta", index: 0, delta });
  }
  const text = PIECE.repeat(EVENTS);
  yield { type: "assistant", message: { ...BODY, content: [{ type: "text", text }] }, ...stamp };
  yield event({ type: "content_block_stop", index: 0 });
  yield event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: USAGE });
  yield event({ type: "message_stop" });
}

function blocksOf(lines) {
  if (GAP_MS !== undefined) return lines;
  const blocks = [];
  for (let at = 0; at < lines.length; at += LINES_IN_A_BLOCK) {
    blocks.push(lines.slice(at, at + LINES_IN_A_BLOCK).join(""));
  }
  return blocks;
}

function print(message) {
  process.stdout.write(lineOf(message));
}

function lineOf(message) {
  return `${JSON.stringify(message)}\n`;
}
