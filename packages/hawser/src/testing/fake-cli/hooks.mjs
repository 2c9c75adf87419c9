// The hooks that the host has registered.
import { randomUUID } from "node:crypto";
import { current } from "./flags.mjs";
import { ask } from "./host.mjs";
import { session } from "./output.mjs";
import { turn } from "./turn.mjs";

let registered = {};

export function registerHooks(hooks = {}) {
  registered = hooks;
}

/** The answer of each callback for an event; `lost` if there was no answer. */
export function callHooks(event, fields = {}, subject = fields.tool_name) {
  const fitting = (registered[event] ?? []).filter(({ matcher }) => fits(matcher, subject));
  return Promise.all(
    fitting.flatMap((hook) => hook.hookCallbackIds.map((id) => call(id, hook, event, fields))),
  );
}

function fits(matcher, subject) {
  if (matcher === undefined || matcher === "" || matcher === "*" || subject === undefined) {
    return true;
  }
  return new RegExp(`^(?:${matcher})$`).test(subject);
}

async function call(callback_id, { timeout, onFailure }, event, fields) {
  const input = { ...common(), hook_event_name: event, ...fields };
  const tool_use_id = fields.tool_use_id ?? randomUUID();
  const answer = await ask(
    { subtype: "hook_callback", callback_id, input, tool_use_id },
    { limitMs: timeout && timeout * 1000, signal: turn.stop.signal },
  );
  if (answer.late || answer.closed) return { lost: true };
  if (answer.error === undefined) return answer.response ?? {};
  return onFailure === "block" ? { decision: "block", reason: answer.error } : {};
}

function common() {
  const folder = process.env.CLAUDE_CONFIG_DIR ?? `${process.env.HOME}/.claude`;
  return {
    session_id: session(),
    transcript_path: `${folder}/projects/fake/${session()}.jsonl`,
    cwd: process.cwd(),
    permission_mode: current.mode,
  };
}
