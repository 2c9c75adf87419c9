import { HawserError, type Logger, objectOf, type ReportFault, textOf } from "../../base/index.js";
import type { RequestContext } from "../../control/index.js";
import { type NumberedHooks, POLICY_HOOK, type PolicyRule } from "../../options/index.js";
import type { HookCallbackRequest, HookOutput, JsonObject } from "../../wire/index.js";
import { checkGuardAnswer } from "./check-guard-answer.js";
import type { AskedCall, PolicyJudge } from "./policy-judge.js";

export interface HookAnswers {
  readonly callbacks: NumberedHooks["callbacks"];
  /** Decides every call, before any other rule of this side; absent without a policy. */
  readonly judge: PolicyJudge | undefined;
  readonly log: Logger;
  readonly report: ReportFault;
}

/**
 * Runs the callback. If a callback that guards a call throws, or gives an answer that the CLI would not
 * accept, the call is denied.
 */
export async function answerHook(
  { callback_id, input, tool_use_id }: HookCallbackRequest,
  { signal }: RequestContext,
  { callbacks, judge, log, report }: HookAnswers,
): Promise<HookOutput> {
  const call = { tool_use_id, ...input } as unknown as ToolCallInput;
  if (callback_id === POLICY_HOOK) return answerPolicy(call, judge, log);
  const hook = callbacks.get(callback_id);
  if (hook === undefined) {
    throw new HawserError("protocol_error", `There is no hook callback ${callback_id}.`);
  }
  const guards = hook.event === "PreToolUse" && hook.onFailure === "block";
  try {
    const output = (await hook.callback(input as never, tool_use_id, { signal })) ?? {};
    if (guards) checkGuardAnswer(output);
    return judge === undefined ? output : withPolicy(hook.event, output, call, judge);
  } catch (error) {
    const then = guards ? ", so the call was denied" : "";
    const why = report(hook.callback, `A ${hook.event} hook failed${then}`, error);
    if (!guards) throw error;
    return decided("deny", `A ${hook.event} hook failed: ${why}`);
  }
}

/** The CLI treats an error answer as no opinion, so a policy that fails denies. */
function answerPolicy(
  call: ToolCallInput,
  judge: PolicyJudge | undefined,
  log: Logger,
): HookOutput {
  try {
    if (judge === undefined) throw new Error("There are no rules.");
    const { decision, reason } = judge.explain(call, call.tool_input);
    log.debug("the policy decided", { tool: call.tool_name, decision, reason });
    return decided(decision, reason);
  } catch (error) {
    const message = `The policy failed: ${textOf(error)}`;
    log.error(message);
    return decided("deny", message);
  }
}

/**
 * A hook may put another input into a call. The CLI has put the input of the model to the policy, at
 * the same time as to the hook, so the new input is put to the policy here. The event is that of the
 * hook, because an output can leave the event out or name another.
 */
function withPolicy(
  event: string,
  output: HookOutput,
  call: ToolCallInput,
  judge: PolicyJudge,
): HookOutput {
  const specific = objectOf(objectOf(output)["hookSpecificOutput"]);
  if (event === "PreToolUse" && specific["updatedInput"] !== undefined) {
    const { decision, reason } = judge.explain(call, objectOf(specific["updatedInput"]));
    if (decision === "allow" || specific["permissionDecision"] === "deny") return output;
    if (decision === "deny") return decided("deny", reason);
    return {
      ...output,
      hookSpecificOutput: { ...specific, ...decisionOf("ask", reason) },
    } as HookOutput;
  }
  const given = objectOf(specific["decision"])["updatedInput"];
  if (event !== "PermissionRequest" || given === undefined) return output;
  const { decision, reason } = judge.explain(call, objectOf(given));
  if (decision !== "deny") return output;
  const denied = { behavior: "deny", message: reason };
  return { ...output, hookSpecificOutput: { ...specific, decision: denied } } as HookOutput;
}

interface ToolCallInput extends AskedCall {
  readonly tool_input: JsonObject;
}

function decided(decision: PolicyRule["decision"], reason: string): HookOutput {
  return { hookSpecificOutput: decisionOf(decision, reason) };
}

function decisionOf(permissionDecision: PolicyRule["decision"], permissionDecisionReason: string) {
  const hookEventName = "PreToolUse" as const;
  return { hookEventName, permissionDecision, permissionDecisionReason };
}
