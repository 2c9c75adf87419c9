// The conversation so far, and its reset.
import { randomUUID } from "node:crypto";
import {
  assistantMessage,
  clearResult,
  forgetCost,
  initMessage,
  noted,
  SYNTHETIC,
} from "./messages.mjs";
import { beginSession, print, session, tellProgress, tellState } from "./output.mjs";
import { isNew } from "./scenario.mjs";
import { append, earlierMessages } from "./transcript.mjs";

let prompts = [];
/** The messages for the model: prompts, its own answers, and results of tools. */
let history = [...earlierMessages];

export function remember(message) {
  const content = message.message?.content ?? "";
  prompts.push(textOf(content));
  tellModel({ role: "user", content }, message.uuid);
}

/** Adds a message for the model. The transcript already has an answer, block by block. */
export function tellModel(message, uuid) {
  history.push(message);
  if (message.role === "user") append(session(), "user", message, uuid);
}

export function messages() {
  return history;
}

/** All prompts of this conversation. */
export function said() {
  return prompts.join("\n");
}

/** Whether a prompt is the command that resets the conversation. */
export function isClear(message) {
  return commandOf(message) !== undefined;
}

/** Prints a reset as the scenario's version of the CLI does. */
export async function clear(fields, { keepSession = false, announce = true, forget }, message) {
  const command = commandOf(message) ?? "clear";
  const usual = Object.keys(fields).length === 0 && !keepSession && announce;
  const uuid = message.uuid;
  const end = () => {
    if (!keepSession) beginSession();
    if (forget ?? usual) [prompts, history] = [[], []];
  };
  if (!isNew()) {
    end();
    await print(initMessage());
    await print(assistantMessage(randomUUID(), NOTHING, SYNTHETIC));
    return print(noted({ ...clearResult(command), ...fields }));
  }
  await tellState("running");
  await tellProgress(uuid, "queued", "started");
  if (announce) await print(resetMessage(uuid));
  await print({ type: "system", subtype: "background_tasks_changed", tasks: [] });
  end();
  forgetCost();
  await print(initMessage());
  await print(noted({ ...clearResult(command, uuid), ...fields }));
  await tellProgress(uuid, "completed");
  return tellState("idle");
}

const NOTHING = { type: "text", text: "(no content)" };

function resetMessage(uuid = randomUUID()) {
  const id = randomUUID();
  return {
    type: "conversation_reset",
    new_conversation_id: id,
    uuid: id,
    trigger: "clear",
    user_message_uuid: uuid,
    timestamp: new Date().toISOString(),
  };
}

/** The name of the reset command. In a prompt of several blocks, the last one has it. */
function commandOf(message) {
  if (message.client_composed === true && isNew()) return undefined;
  const content = message.message?.content;
  const text = Array.isArray(content) ? content.at(-1)?.text : content;
  return /^\/(clear|reset|new)(?:\s|$)/.exec(typeof text === "string" ? text : "")?.[1];
}

/** The text of a prompt, which may also have empty blocks. */
export function promptOf(message) {
  return textOf(message.message?.content).trim();
}

function textOf(content) {
  if (!Array.isArray(content)) return String(content ?? "");
  const texts = content.filter((block) => typeof block?.text === "string");
  return texts.map((block) => block.text).join("\n");
}
