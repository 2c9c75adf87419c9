import {
  CHANNELS,
  eventTime,
  objectOf,
  type PermissionDecidedEvent,
  publish,
  runTraced,
  TRACING_CHANNELS,
  type TracedCallback,
} from "../../base/index.js";
import type { RequestContext, RequestHandler } from "../../control/index.js";
import { POLICY_HOOK } from "../../options/index.js";
import type {
  CanUseToolRequest,
  CliRequest,
  HookCallbackRequest,
  McpMessageRequest,
} from "../../wire/index.js";
import { deciderOf } from "../answer/answer-permission.js";
import type { Observation } from "./observation.js";
import type { SessionObserver } from "./session-observer.js";

type Answer = Awaited<ReturnType<RequestHandler>>;

/**
 * The handler, with its requests observed: questions about permissions, decisions of hooks, and the
 * callbacks of the caller inside their tracing channel.
 */
export function observeRequests(handler: RequestHandler, observation: Observation): RequestHandler {
  return (request, context) => {
    const { observer } = observation;
    if (observer === undefined) return handler(request, context);
    const run = () => {
      const callback = callbackOf(request);
      if (callback === undefined) return handler(request, context);
      const ids = () => ({ ...observer.turnIds(), ...callback, ...parentOf(observer, callback) });
      return runTraced(TRACING_CHANNELS.callback, ids, () => handler(request, context));
    };
    if (request.subtype === "can_use_tool") {
      return observeQuestion(observer, request as CanUseToolRequest, context, run);
    }
    if (request.subtype === "hook_callback") {
      return observeHook(observer, request as HookCallbackRequest, run);
    }
    return run();
  };
}

async function observeQuestion(
  observer: SessionObserver,
  { tool_name, tool_use_id, input }: CanUseToolRequest,
  { requestId: request, signal }: RequestContext,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const at = eventTime();
  const toolUseId = wordsIn(tool_use_id);
  const tool = wordsIn(tool_name) ?? "";
  const call = { request, toolUseId, tool, ...parentOf(observer, { toolUseId }) };
  publish(CHANNELS.permissionAsked, () => ({ at, ...observer.turnIds(), ...call, input }));
  let isDecided = false;
  const decide = (how: Pick<PermissionDecidedEvent, "by" | "decision" | "reason">) => {
    if (isDecided) return;
    isDecided = true;
    if (how.decision === "deny") observer.tools.deny(toolUseId);
    const now = eventTime();
    publish(CHANNELS.permissionDecided, () => {
      return { at: now, ...observer.turnIds(), ...call, ...how, ms: now - at };
    });
  };
  const withdraw = () => decide({ by: "none", decision: "withdrawn", reason: undefined });
  signal.addEventListener("abort", withdraw, { once: true });
  try {
    const answer = await run();
    const { behavior, message } = objectOf(answer);
    if (behavior !== "allow" && behavior !== "deny") withdraw();
    else decide({ by: deciderOf(answer), decision: behavior, reason: wordsIn(message) });
    return answer;
  } finally {
    signal.removeEventListener("abort", withdraw);
    withdraw();
  }
}

/** A hook may decide about a tool call; most hooks have no opinion. */
async function observeHook(
  observer: SessionObserver,
  { callback_id, input, tool_use_id }: HookCallbackRequest,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const at = eventTime();
  const answer = await run();
  const verdict = verdictOf(answer);
  if (verdict === undefined) return answer;
  const facts = objectOf(input);
  const toolUseId = wordsIn(tool_use_id ?? facts["tool_use_id"]);
  if (verdict.decision === "deny") observer.tools.deny(toolUseId);
  const now = eventTime();
  const event = (): PermissionDecidedEvent => ({
    at: now,
    ...observer.turnIds(),
    request: undefined,
    toolUseId,
    tool: wordsIn(facts["tool_name"]) ?? "",
    ...parentOf(observer, { toolUseId }),
    by: callback_id === POLICY_HOOK ? "rule" : "hook",
    ...verdict,
    ms: now - at,
  });
  publish(CHANNELS.permissionDecided, event);
  return answer;
}

type Verdict = Pick<PermissionDecidedEvent, "decision" | "reason">;

/** The decision in the answer of a hook PreToolUse or PermissionRequest. */
function verdictOf(answer: unknown): Verdict | undefined {
  const { hookSpecificOutput, decision: older, reason } = objectOf(answer);
  const { permissionDecision, permissionDecisionReason, decision } = objectOf(hookSpecificOutput);
  const { behavior, message } = objectOf(decision);
  const word = wordsIn(permissionDecision ?? behavior ?? older);
  const known = word === undefined ? undefined : DECISIONS[word];
  const why = permissionDecisionReason ?? message ?? reason;
  return known && { decision: known, reason: wordsIn(why) };
}

const DECISIONS: { readonly [word: string]: Verdict["decision"] } = {
  allow: "allow",
  approve: "allow",
  deny: "deny",
  block: "deny",
  ask: "ask",
  defer: "defer",
};

type Callback = Pick<TracedCallback, "kind" | "name" | "toolUseId">;

/** The function of the caller that a request leads to; undefined if there is none. */
function callbackOf(request: CliRequest): Callback | undefined {
  const { tool_use_id, tool_name, mcp_server_name, dialog_kind } = request as Partial<
    Readonly<Record<string, unknown>>
  >;
  const toolUseId = wordsIn(tool_use_id);
  switch (request.subtype) {
    case "can_use_tool":
      return { kind: "can_use_tool", name: wordsIn(tool_name) ?? "", toolUseId };
    case "hook_callback": {
      const { callback_id, input } = request as HookCallbackRequest;
      if (callback_id === POLICY_HOOK) return undefined;
      return { kind: "hook", name: wordsIn(objectOf(input)["hook_event_name"]) ?? "", toolUseId };
    }
    case "mcp_message": {
      const { method, params } = objectOf((request as McpMessageRequest).message);
      if (method !== "tools/call") return undefined;
      const { name, _meta } = objectOf(params);
      const id = wordsIn(objectOf(_meta)["claudecode/toolUseId"]);
      return { kind: "tool_handler", name: wordsIn(name) ?? "", toolUseId: id };
    }
    case "elicitation":
      return { kind: "elicitation", name: wordsIn(mcp_server_name) ?? "", toolUseId };
    case "request_user_dialog":
      return { kind: "dialog", name: wordsIn(dialog_kind) ?? "", toolUseId };
    default:
      return undefined;
  }
}

function parentOf(
  { tools }: SessionObserver,
  { toolUseId }: Pick<Callback, "toolUseId">,
): Pick<TracedCallback, "parentToolUseId"> {
  return { parentToolUseId: tools.get(toolUseId)?.parentToolUseId ?? null };
}

function wordsIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
