// A turn that is answered by the model that the environment names, as with the real CLI.
import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { failAtApi } from "./api-error.mjs";
import { messages, tellModel } from "./conversation.mjs";
import { current, streams } from "./flags.mjs";
import { toolNames } from "./mcp.mjs";
import { assistantMessage } from "./messages.mjs";
import { print, session } from "./output.mjs";
import { builtInTools } from "./permissions.mjs";
import { runTool, takeValue, VALUE_TOOL } from "./tool.mjs";
import { append } from "./transcript.mjs";
import { interrupted, turn } from "./turn.mjs";

/** Sends requests until the model calls no more tools. */
export async function askModel() {
  for (;;) {
    const blocks = await receive();
    tellModel({ role: "assistant", content: blocks });
    const calls = blocks.filter(({ type }) => type === "tool_use");
    const value = calls.find(({ name }) => name === VALUE_TOOL);
    if (value !== undefined) return takeValue(value.id, value.input);
    if (calls.length === 0) return undefined;
    const results = [];
    for (const call of calls) results.push(...(await runTool(call, { result: NOT_RUN })));
    tellModel({ role: "user", content: results });
  }
}

const NOT_RUN = "(this stand-in for the CLI runs no tools)";

/**
 * Reads one answer. Passes its events on as they arrive, and prints each block when it is complete.
 * @returns {Promise<any[]>} The blocks.
 */
async function receive() {
  const { signal } = turn.stop;
  try {
    const response = await send(signal);
    if (response.statusCode !== 200) return await fail(response);
    return await readAnswer(response);
  } catch (error) {
    if (signal.aborted) throw interrupted();
    if (error instanceof Error) return failAtApi(500, { message: error.message });
    throw error;
  }
}

function send(signal) {
  const { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key = "" } = process.env;
  if (url === undefined) throw new Error("ANTHROPIC_BASE_URL is not set");
  const names = [...builtInTools(), ...toolNames()];
  const value = { name: VALUE_TOOL, input_schema: current.schema };
  const body = {
    model: current.model,
    max_tokens: 32_000,
    stream: true,
    messages: messages(),
    tools: [...names.map((name) => ({ name })), ...(current.schema ? [value] : [])],
  };
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "x-api-key": key };
    const outgoing = request(`${url}/v1/messages`, { method: "POST", headers, signal }, resolve);
    outgoing.once("error", reject);
    outgoing.end(JSON.stringify(body));
  });
}

async function fail(response) {
  let text = "";
  for await (const piece of response.setEncoding("utf8")) text += piece;
  const { error } = JSON.parse(text);
  return failAtApi(response.statusCode, { message: error?.message });
}

async function readAnswer(response) {
  /** @type {any[]} */
  const blocks = [];
  /** @type {{ id?: string, model?: string, usage?: object }} */
  let message = {};
  for await (const event of eventsOf(response)) {
    if (event.type === "error") throw new Error(event.error?.message);
    if (event.type === "message_start") message = event.message;
    if (streams && event.type !== "ping") await pass(event, message.id);
    if (event.type === "content_block_start") blocks.push(opened(event.content_block));
    if (event.type === "content_block_delta") extend(blocks.at(-1), event.delta);
    if (event.type === "content_block_stop") await printBlock(closed(blocks.at(-1)), message);
    if (event.type === "message_stop") return blocks.map(({ json: _, ...block }) => block);
  }
  throw new Error("The answer of the model is not whole");
}

async function* eventsOf(response) {
  let rest = "";
  for await (const piece of response.setEncoding("utf8")) {
    const lines = `${rest}${piece}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data: ")) yield JSON.parse(line.slice("data: ".length));
    }
  }
}

function pass(event, api_message_id) {
  return print({ type: "stream_event", event, parent_tool_use_id: null, api_message_id });
}

function opened(block) {
  return block.type === "tool_use" ? { ...block, json: "" } : { ...block };
}

function extend(block, { type, text, thinking, signature, partial_json }) {
  if (type === "text_delta") block.text += text;
  if (type === "thinking_delta") block.thinking += thinking;
  if (type === "signature_delta") block.signature = signature;
  if (type === "input_json_delta") block.json += partial_json;
}

function closed(block) {
  if (block.type === "tool_use") block.input = block.json === "" ? {} : JSON.parse(block.json);
  if (block.type === "text") turn.said = block.text;
  return block;
}

/** @param {any} block @param {{ id?: string, model?: string, usage?: object }} message */
function printBlock({ json: _, ...block }, { id, model, usage }) {
  const uuid = randomUUID();
  const line = assistantMessage(id, block, { model, usage });
  append(session(), "assistant", line.message, uuid);
  return print({ ...line, uuid });
}
