// A tool call: the hooks before it, the permission, the tool itself, the hooks after it.
import { randomUUID } from "node:crypto";
import { asksHost, current, maxTurns } from "./flags.mjs";
import { callHooks } from "./hooks.mjs";
import { ask } from "./host.mjs";
import { callTool, connected, ownerOf } from "./mcp.mjs";
import { printUser, say } from "./messages.mjs";
import { print, tellState, tellsStates } from "./output.mjs";
import { applyUpdates, lackOf, passOf } from "./permissions.mjs";
import { goOn, interruptedInTool, outOfTurns, pause, TurnEnd, turn } from "./turn.mjs";

export async function useTool(name, { input = {}, ...script }) {
  await connected();
  const block = { type: "tool_use", id: newId(), name, input };
  await say([block], "tool_use");
  await runTool(block, script);
}

/** Runs a call that was already printed. Returns the content of its result for the model. */
export async function runTool({ id, name, input }, { allowed = false, ...script }) {
  const call = { id, name, input, owner: ownerOf(name), runs: false };
  const lack = lackOf(name);
  if (lack === undefined) await decideAndRun(call, allowed, script);
  else await printToolResult(call.id, { content: marked(lack), is_error: true }, lack);
  if (turn.userLines >= maxTurns) throw outOfTurns(maxTurns);
  goOn();
  return turn.toolResult;
}

async function decideAndRun(call, allowed, script) {
  try {
    const decision = await permit(call, allowed);
    if (decision.refusal !== undefined) await refuse(call, decision);
    else await run(call, decision, script);
  } catch (end) {
    if (!(end instanceof TurnEnd) || end.fields.terminal_reason !== "aborted_streaming") throw end;
    if (!call.runs) note(call);
    await reject(call);
  }
}

/** Returns a value for the schema that the host has sent, or as text without a schema. */
export async function giveValue(value) {
  if (current.schema === undefined) return say(JSON.stringify(value));
  const id = newId();
  await say([{ type: "tool_use", id, name: VALUE_TOOL, input: value }], "tool_use");
  return takeValue(id, value);
}

/** The tool with which the model returns a value. */
export const VALUE_TOOL = "StructuredOutput";

/** Accepts a value whose call was already printed. */
export async function takeValue(id, value) {
  await printToolResult(id, { content: GIVEN }, GIVEN, { permission_decision: accepted("config") });
  turn.said = JSON.stringify(value);
  turn.value = value;
}

const GIVEN = "Structured output provided successfully";

/**
 * The refusal of a call, or how it was permitted.
 * @typedef {{ refusal?: string, meta?: { kind: string, source: string, reason_type?: string },
 *   by?: string, reason?: string, stops?: boolean }} Decision
 */

/** @returns {Promise<Decision>} */
async function permit(call, allowed) {
  const hook = await askHooks(call);
  if (hook.lost) return { refusal: LOST };
  if (hook.input !== undefined) call.input = hook.input;
  if (hook.verdict === "deny") {
    note(call);
    return { refusal: `PreToolUse:${call.name} hook error: ${hook.reason}`, meta: BY_HOOK };
  }
  if (hook.verdict === "allow") return { by: "hook", reason: "hook", stops: hook.stops };
  const pass = allowed ? { reason: "rule" } : passOf(call);
  if (hook.verdict !== "ask" && pass) return { by: "config", ...pass, stops: hook.stops };
  if (!asksHost || current.mode === "dontAsk") return denyUnasked(call);
  return { ...(await askPermission(call, hook)), stops: hook.stops };
}

/**
 * Calls the hooks. The strictest verdict counts.
 * @returns {Promise<{ verdict?: string, reason?: string, input: any, lost: boolean, stops: boolean }>}
 */
async function askHooks(call) {
  const outputs = await callHooks("PreToolUse", toolFields(call));
  const views = outputs.map(({ hookSpecificOutput: own = {}, decision, reason }) => ({
    verdict: own.permissionDecision ?? (decision === "block" ? "deny" : undefined),
    reason: own.permissionDecisionReason ?? reason,
    input: own.updatedInput,
  }));
  const strictest = ["deny", "ask", "allow"].flatMap((verdict) =>
    views.filter((view) => view.verdict === verdict),
  );
  return {
    ...strictest[0],
    input: views.findLast(({ input }) => input !== undefined)?.input,
    lost: outputs.some(({ lost }) => lost),
    stops: outputs.some((output) => output.continue === false),
  };
}

/** @param {any} call @param {{ verdict?: string, reason?: string }} hook @returns {Promise<Decision>} */
async function askPermission(call, { verdict, reason }) {
  const answer = await whileActionIsRequired(() =>
    ask(
      {
        subtype: "can_use_tool",
        tool_name: call.name,
        ...(!call.owner && { display_name: call.name }),
        input: call.input,
        ...(call.owner && { mcp_server: provenance(call) }),
        ...(verdict === "ask" && { decision_reason: reason, decision_reason_type: "hook" }),
        tool_use_id: call.id,
      },
      { signal: turn.stop.signal },
    ),
  );
  const { behavior, updatedInput, updatedPermissions, message, interrupt } = answer.response ?? {};
  if (behavior === "allow") {
    call.input = updatedInput ?? call.input;
    applyUpdates(updatedPermissions);
    return { by: "user_temporary" };
  }
  note(call);
  if (behavior === "deny" && interrupt) await reject(call);
  const refusal = behavior === "deny" ? message : failedText(answer);
  return { refusal, meta: { kind: "permission-rule", source: "user_reject" } };
}

async function whileActionIsRequired(wait) {
  if (!tellsStates()) return wait();
  await tellState("requires_action");
  try {
    return await wait();
  } finally {
    await tellState("running");
  }
}

function failedText({ error = "Error: The answer has no behavior" }) {
  return `Tool permission request failed: ${error}`;
}

async function denyUnasked(call) {
  const refusal = `Claude requested permissions to use ${call.name}, but you haven't granted it yet.`;
  note(call);
  const { name: tool_name, id: tool_use_id } = call;
  const line = { type: "system", subtype: "permission_denied", tool_name, tool_use_id };
  await print({ ...line, message: refusal });
  return { refusal, meta: { kind: "user-rejected", source: "config" } };
}

/** @param {any} call @param {Decision} decision @param {any} script */
async function run(call, { by, reason, stops }, { result, error, structured, ms = 0 }) {
  call.runs = true;
  if (ms > 0) await pause(ms);
  const ran = call.owner
    ? await callTool(call.owner, call.input, call.id)
    : { content: result ?? `${call.name} ran with ${JSON.stringify(call.input)}`, error };
  const failed = ran.error !== undefined;
  const output = failed ? `Error: ${ran.error}` : (structured ?? ran.content);
  const told = failed ? { error: ran.error, is_interrupt: false } : { tool_response: output };
  const event = failed ? "PostToolUseFailure" : "PostToolUse";
  const outputs = await callHooks(event, { ...toolFields(call), ...told, duration_ms: 1 });
  const block = failed ? { content: ran.error, is_error: true } : { content: ran.content };
  await printToolResult(call.id, block, output, { permission_decision: accepted(by, reason) });
  if (stops || outputs.some((each) => each.continue === false)) throw new TurnEnd(HOOK_STOPPED);
}

const HOOK_STOPPED = { result: "", stop_reason: "tool_use", terminal_reason: "hook_stopped" };

/** @param {any} call @param {Decision} decision */
function refuse({ id }, { refusal, meta }) {
  const result = { content: refusal, is_error: true };
  if (meta === undefined) return printToolResult(id, result, `Error: ${refusal}`);
  const { kind, source, reason_type } = meta;
  return printToolResult(id, result, `Error: ${refusal}`, {
    non_execution_kind: kind,
    permission_decision: { decision: "reject", source, ...(reason_type && { reason_type }) },
  });
}

/** Ends the call and the turn. */
async function reject({ id, runs }) {
  const content = runs ? `${REJECTED} ${STOPPED}` : REJECTED;
  const meta = { non_execution_kind: "user-rejected" };
  await printToolResult(id, { content, is_error: true }, "User rejected tool use", meta);
  throw interruptedInTool();
}

/** @param {object} [meta] */
function printToolResult(id, block, tool_use_result, meta) {
  const content = [{ tool_use_id: id, type: "tool_result", ...block }];
  turn.toolResult = content;
  return printUser(content, {
    tool_use_result,
    ...(meta && { tool_result_meta: [{ id, ...meta }] }),
  });
}

function marked(error) {
  return `<tool_use_error>${error}</tool_use_error>`;
}

function note({ id, name, input }) {
  turn.denials.push({ tool_name: name, tool_use_id: id, tool_input: input });
}

function toolFields(call) {
  return {
    tool_name: call.name,
    tool_input: call.input,
    tool_use_id: call.id,
    ...(call.owner && { mcp_server: provenance(call) }),
  };
}

function provenance({ owner }) {
  return { name: owner.server, source: "sdk" };
}

/** @param {string} [reason_type] */
function accepted(source, reason_type) {
  return { decision: "accept", source, ...(reason_type && { reason_type }) };
}

function newId() {
  return `toolu_fake${randomUUID().replaceAll("-", "")}`;
}

const BY_HOOK = { kind: "permission-rule", source: "hook", reason_type: "hook" };

const LOST =
  "PreToolUse hook did not respond before its timeout (host client may be unreachable). The tool call was not executed; other configured hooks may not have completed.";

const REJECTED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";

const STOPPED =
  "Correction to the text above: this call was stopped while running, not refused before it ran.";
