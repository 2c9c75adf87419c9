import {
  HawserError,
  LONGEST_TIMER_MS,
  type Logger,
  objectOf,
  type ReportFault,
  textOf,
} from "../../base/index.js";
import type { RequestContext } from "../../control/index.js";
import {
  type NumberedHook,
  type NumberedHooks,
  POLICY_HOOK,
  type PolicyRule,
} from "../../options/index.js";
import type { HookCallbackRequest, HookOutput, JsonObject } from "../../wire/index.js";
import { checkGuardAnswer } from "./check-guard-answer.js";
import type { Deferrals } from "./deferrals.js";
import type { AskedCall, PolicyJudge } from "./policy-judge.js";

export interface HookAnswers {
  readonly callbacks: NumberedHooks["callbacks"];
  /** Decides every call, before any other rule of this side; absent without a policy. */
  readonly judge: PolicyJudge | undefined;
  readonly deferrals: Deferrals;
  /**
   * The decision in place of another deferral, if the CLI asks about a call that an earlier process of the session
   * has deferred; undefined for any other call.
   */
  readonly insteadOfDefer: () => "ask" | "deny" | undefined;
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
  answers: HookAnswers,
): Promise<HookOutput> {
  const { callbacks, judge, deferrals, log, report } = answers;
  const call = { tool_use_id, ...input } as unknown as ToolCallInput;
  if (callback_id === POLICY_HOOK) return deferrals.check(answerPolicy(call, answers), call, log);
  const hook = callbacks.get(callback_id);
  if (hook === undefined) {
    throw new HawserError("protocol_error", `There is no hook callback ${callback_id}.`);
  }
  const guards = hook.event === "PreToolUse" && hook.onFailure === "block";
  try {
    const run = (until: AbortSignal) =>
      hook.callback(input as never, tool_use_id, { signal: until });
    const output = (await withinTimeout(hook, run, signal)) ?? {};
    if (guards) checkGuardAnswer(output);
    const checked = judge === undefined ? output : withPolicy(hook.event, output, call, judge);
    return hook.event === "PreToolUse" ? deferrals.check(checked, call, log) : checked;
  } catch (error) {
    if (error instanceof LateHook)
      return decided("deny", "A PreToolUse hook did not answer in time.");
    const then = guards ? ", so the call was denied" : "";
    const why = report(hook.callback, `A ${hook.event} hook failed${then}`, error);
    if (!guards) throw error;
    return decided("deny", `A ${hook.event} hook failed: ${why}`);
  }
}

/**
 * Runs the callback, and rejects with `LateHook` if it guards a call and passes its time limit. The newest CLI
 * cancels the hook earlier, and refuses the call. An older CLI would let the call run, so it is given more time.
 */
async function withinTimeout(
  { event, timeout }: NumberedHook,
  run: (until: AbortSignal) => ReturnType<NumberedHook["callback"]>,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<NumberedHook["callback"]>>> {
  if (event !== "PreToolUse") return run(signal);
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => {
    const expire = () => {
      const error = new LateHook("timeout", "The hook passed its time limit.");
      late.abort(error);
      reject(error);
    };
    timer = setTimeout(expire, Math.min(timeout * 1000 + LEEWAY_MS, LONGEST_TIMER_MS)).unref();
  });
  try {
    return await Promise.race([run(AbortSignal.any([signal, late.signal])), passed]);
  } finally {
    clearTimeout(timer);
  }
}

class LateHook extends HawserError {}

/** So that the newest CLI, which has the same time limit, is the first to act. */
const LEEWAY_MS = 500;

/** The CLI treats an error answer as no opinion, so a policy that fails denies. */
function answerPolicy(
  call: ToolCallInput,
  { judge, log, insteadOfDefer }: HookAnswers,
): HookOutput {
  try {
    if (judge === undefined) throw new Error("There are no rules.");
    const { decision: ruled, reason } = judge.explain(call, call.tool_input);
    // If the rule deferred the call again and again, it would never be decided.
    const decision = (ruled === "defer" ? insteadOfDefer() : undefined) ?? ruled;
    log.debug("the policy decided", { tool: call.tool_name, decision, reason });
    return decided(decision, ruled === "defer" && decision === "deny" ? NO_CALLBACK : reason);
  } catch (error) {
    const message = `The policy failed: ${textOf(error)}`;
    log.error(message);
    return decided("deny", message);
  }
}

const NO_CALLBACK = "There is no `canUseTool` callback to decide about this deferred call.";

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
      hookSpecificOutput: { ...specific, ...decisionOf(decision, reason) },
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
  readonly agent_id?: string | undefined;
  readonly tool_input: JsonObject;
}

function decided(decision: PolicyRule["decision"], reason: string): HookOutput {
  return { hookSpecificOutput: decisionOf(decision, reason) };
}

function decisionOf(permissionDecision: PolicyRule["decision"], permissionDecisionReason: string) {
  const hookEventName = "PreToolUse" as const;
  return { hookEventName, permissionDecision, permissionDecisionReason };
}
