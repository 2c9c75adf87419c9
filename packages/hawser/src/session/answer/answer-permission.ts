import {
  isObject,
  type Logger,
  omitUndefined,
  type PermissionDecider,
  type ReportFault,
  textOf,
} from "../../base/index.js";
import { NO_ANSWER, type RequestContext } from "../../control/index.js";
import type { CanUseTool, CanUseToolContext } from "../../options/index.js";
import type {
  CanUseToolRequest,
  JsonObject,
  PermissionResult,
  PermissionUpdate,
} from "../../wire/index.js";
import type { AnnouncedSession } from "./announced-session.js";
import type { PolicyJudge } from "./policy-judge.js";

export interface PermissionAnswers {
  readonly canUseTool: CanUseTool | undefined;
  /** Decides an input that the callback changed, and a resumed call; absent without a policy. */
  readonly judge: PolicyJudge | undefined;
  readonly log: Logger;
  readonly report: ReportFault;
  readonly announced: AnnouncedSession;
}

/**
 * Asks the callback. The call is denied if there is no callback, if the callback or the policy throws,
 * and if the answer is neither allow nor deny.
 */
export async function answerPermission(
  request: CanUseToolRequest,
  context: RequestContext,
  { canUseTool, judge, log, report, announced }: PermissionAnswers,
): Promise<PermissionResult | typeof NO_ANSWER> {
  const toolUseID = request.tool_use_id;
  const deny = (message: string, by: PermissionDecider = "none"): PermissionResult => {
    const denial: PermissionResult = { behavior: "deny", message, toolUseID };
    deniedBy.set(denial, by);
    return denial;
  };
  if (canUseTool === undefined)
    return deny("There is no `canUseTool` callback to approve this call.");
  if (!isCall(request)) {
    log.error("a request for approval names no call, so it was denied");
    return deny("The request for approval names no call.");
  }
  // The CLI may ask about a deferred call before it knows of any hook, and so of the policy.
  const denial =
    judge && announced.sessionId === undefined && refusal(judge, request, request.input);
  if (denial) return deny(denial, "rule");
  let result: PermissionResult | null;
  try {
    const told = contextOf(request, context, announced);
    result = await canUseTool(request.tool_name, request.input, told);
  } catch (error) {
    // A callback that throws because the CLI no longer waits for its answer is not at fault.
    if (context.signal.aborted) return deny("The request was withdrawn.");
    const why = report(canUseTool, "canUseTool threw, so the call was denied", error);
    return deny(`The approval of this call failed: ${why}`);
  }
  if (result === null) return NO_ANSWER;
  if (result?.behavior === "allow") {
    const reason = result.updatedInput && judge && refusal(judge, request, result.updatedInput);
    if (reason !== undefined) {
      log.error("the policy denies the input that canUseTool gave", { reason });
      return deny(reason, "rule");
    }
    // Older CLIs want the input back even if nothing changed.
    return { ...result, updatedInput: result.updatedInput ?? request.input, toolUseID };
  }
  if (result?.behavior === "deny") {
    return { ...result, message: result.message ?? "Denied.", toolUseID };
  }
  log.error("canUseTool gave neither allow nor deny, so the call was denied");
  return deny("The approval of this call gave no answer.");
}

/** Denials that did not come from the callback, and where they came from. */
const deniedBy = new WeakMap<object, PermissionDecider>();

/** Who made a decision of `answerPermission()`. */
export function deciderOf(decision: unknown): PermissionDecider {
  return (isObject(decision) ? deniedBy.get(decision) : undefined) ?? "callback";
}

/** Why the policy denies the input, or undefined if it does not; a policy that fails denies. */
function refusal(
  judge: PolicyJudge,
  request: CanUseToolRequest,
  input: JsonObject,
): string | undefined {
  try {
    const { decision, reason } = judge.explain(request, input);
    return decision === "deny" ? reason : undefined;
  } catch (error) {
    return `The policy failed: ${textOf(error)}`;
  }
}

/** A request without a name or an input cannot be judged, so no approval may cover it. */
function isCall({ tool_name, input }: CanUseToolRequest): boolean {
  const isNamed = typeof tool_name === "string" && tool_name !== "";
  return isNamed && isObject(input);
}

function contextOf(
  request: CanUseToolRequest,
  { signal, requestId }: RequestContext,
  announced: AnnouncedSession,
): Parameters<CanUseTool>[2] {
  const optional = {
    sessionId: announced.sessionId,
    cwd: announced.cwd,
    parentToolUseID: announced.parentOf(request.agent_id),
    suggestions: request.permission_suggestions?.map(forThisSession),
    blockedPath: request.blocked_path,
    decisionReason: request.decision_reason,
    decisionReasonType: request.decision_reason_type,
    title: request.title,
    displayName: request.display_name,
    description: request.description,
    agentID: request.agent_id,
    mcpServer: request.mcp_server,
    defaultToNo: request.default_to_no,
    suppressAlwaysAllowRule: request.suppress_always_allow_rule,
    matchedAskRule: askRuleOf(request),
    requiresUserInteraction: request.requires_user_interaction,
    serverPolicyAskOnly: request.server_policy_ask_only,
  };
  return { signal, requestId, toolUseID: request.tool_use_id, ...omitUndefined(optional) };
}

function askRuleOf({
  matched_ask_rule: rule,
}: CanUseToolRequest): CanUseToolContext["matchedAskRule"] {
  if (!isObject(rule)) return undefined;
  const { source, tool_name, rule_content } = rule;
  return { source, toolName: tool_name, ...omitUndefined({ ruleContent: rule_content }) };
}

/**
 * Given back as they came, suggestions would write settings files. A callback that wants that names
 * the `destination` in its answer.
 */
function forThisSession(update: PermissionUpdate): PermissionUpdate {
  return { ...update, destination: "session" } as PermissionUpdate;
}
