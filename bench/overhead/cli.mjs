#!/usr/bin/env node
// Plays the CLI: answers each prompt with BENCH_EVENTS pieces of text, in large blocks or, with
// BENCH_GAP_MS, each by itself; its result line tells when it was written.
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const EVENTS = Number(process.env.BENCH_EVENTS);
const GAP_MS =
  process.env.BENCH_GAP_MS === undefined ? undefined : Number(process.env.BENCH_GAP_MS);
const LINES_IN_A_BLOCK = 200;

const STAMP = {
  session_id: "0e9f4a52-6a0c-4c55-9d3e-6f1f0c7d2b11",
  parent_tool_use_id: null,
  uuid: "5b8a1c7e-0d2f-4e61-8a94-3c5d7e9f1a2b",
};
const ID = "msg_0123456789abcdef01234567";
const USAGE = { input_tokens: 10, output_tokens: 1 };
const BODY = { id: ID, type: "message", role: "assistant", model: "claude-opus-5-5", usage: USAGE };
const PIECE = "the function returns a value when ";

if (process.argv[2] === "--version" || process.argv[2] === "-v") {
  process.stdout.write("2.1.325 (Claude Code)\n");
} else {
  // Created before the caller waits for them.
  const blocks = blocksOf(Array.from(answer(), lineOf));
  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line);
    if (message.type === "control_request") confirm(message);
    if (message.type === "user") await speak(blocks, message.uuid);
  }
}

function confirm({ request_id, request }) {
  const initialized = { commands: [], agents: [], models: [], account: {}, pid: process.pid };
  const response = request.subtype === "initialize" ? initialized : {};
  print({ type: "control_response", response: { subtype: "success", request_id, response } });
}

async function speak(blocks, uuid) {
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
    ...STAMP,
  });
  for (const block of blocks) {
    process.stdout.write(block);
    if (GAP_MS !== undefined) await sleep(GAP_MS);
  }
  print({
    type: "result",
    subtype: "success",
    is_error: false,
    num_turns: 1,
    result: PIECE,
    stop_reason: "end_turn",
    terminal_reason: "completed",
    duration_ms: 1,
    duration_api_ms: 1,
    total_cost_usd: 0,
    usage: USAGE,
    modelUsage: {},
    permission_denials: [],
    ...(uuid === undefined ? {} : { user_message_uuid: uuid, user_message_uuids: [uuid] }),
    ...STAMP,
    writtenAt: String(process.hrtime.bigint()),
  });
}

function* answer() {
  yield event({ type: "message_start", message: { ...BODY, content: [] } });
  yield event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  const delta = { type: "text_delta", text: PIECE };
  for (let count = 0; count < EVENTS; count += 1) {
    yield event({ type: "content_block_delta", index: 0, delta });
  }
  const text = PIECE.repeat(EVENTS);
  yield { type: "assistant", message: { ...BODY, content: [{ type: "text", text }] }, ...STAMP };
  yield event({ type: "content_block_stop", index: 0 });
  yield event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: USAGE });
  yield event({ type: "message_stop" });
}

function event(event) {
  return { type: "stream_event", event, ...STAMP, api_message_id: ID };
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
