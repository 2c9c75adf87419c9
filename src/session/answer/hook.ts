import type { RequestContext } from "../../control/index.js";
import { HawserError, type Logger, textOf } from "../../errors/index.js";
import { type NumberedHooks, POLICY_HOOK, type PolicyRule } from "../../options/index.js";
import type { HookCallbackRequest, HookOutput } from "../../wire/index.js";
import { checkGuardAnswer } from "./guard-answer.js";
import { explainPermission } from "./policy.js";

export interface HookAnswers {
  readonly callbacks: NumberedHooks["callbacks"];
  /** Decides every call, before any other rule of this side. */
  readonly rules: readonly PolicyRule[] | undefined;
  /** What becomes of a call that no rule fits. */
  readonly otherwise: PolicyRule["decision"];
}

/**
 * Runs the callback. One that guards a call has not let it pass if it throws, or gives what the CLI
 * would not take for an answer: the call is denied.
 */
export async function answerHook(
  { callback_id, input, tool_use_id }: HookCallbackRequest,
  { signal }: RequestContext,
  { callbacks, rules, otherwise }: HookAnswers,
  log: Logger,
): Promise<HookOutput> {
  if (callback_id === POLICY_HOOK) return answerPolicy(input, rules ?? [], otherwise, log);
  const hook = callbacks.get(callback_id);
  if (hook === undefined) {
    throw new HawserError("protocol_error", `There is no hook callback ${callback_id}.`);
  }
  const guards = hook.event === "PreToolUse" && hook.onFailure === "block";
  try {
    const output = (await hook.callback(input as never, tool_use_id, { signal })) ?? {};
    if (guards) checkGuardAnswer(output);
    return output;
  } catch (error) {
    const message = `A ${hook.event} hook failed: ${textOf(error)}`;
    log.error(message);
    if (!guards) throw error;
    return decided("deny", message);
  }
}

/** An error for an answer would be no opinion: a policy that fails denies. */
function answerPolicy(
  input: HookCallbackRequest["input"],
  rules: readonly PolicyRule[],
  otherwise: PolicyRule["decision"],
  log: Logger,
): HookOutput {
  try {
    const { tool_name, tool_input } = input as unknown as ToolCall;
    const { decision, reason } = explainPermission(rules, tool_name, tool_input, otherwise);
    log.debug("the policy decided", { tool: tool_name, decision, reason });
    return decided(decision, reason);
  } catch (error) {
    const message = `The policy failed: ${textOf(error)}`;
    log.error(message);
    return decided("deny", message);
  }
}

interface ToolCall {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
}

function decided(decision: PolicyRule["decision"], reason: string): HookOutput {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: decision,
      permissionDecisionReason: reason,
    },
  };
}
