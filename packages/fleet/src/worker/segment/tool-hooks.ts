import type { HookAnswer, HookCallback, Hooks } from "hawser";
import type { RunInfo } from "../../runs/run.js";
import type { WorkOptions } from "../worker.js";
import type { EventWriter } from "./event-writer.js";
import type { ToolCalls } from "./tool-calls.js";

export interface ToolHooksParts {
  readonly run: RunInfo;
  readonly calls: ToolCalls;
  readonly events: EventWriter;
  readonly approve: WorkOptions["approve"];
}

/**
 * The hooks of the worker, before those of the profile. Every call is written down before it may begin; then, at the
 * last moment, the guard decides whether this host may still act.
 */
export function toolHooks(parts: ToolHooksParts, profile: Hooks | undefined): Hooks {
  const before: HookCallback<"PreToolUse"> = (input) => beforeCall(parts, input);
  const after: HookCallback<"PostToolUse"> = async ({ tool_use_id }) => {
    await parts.calls.end([tool_use_id]);
    return {};
  };
  const failed: HookCallback<"PostToolUseFailure"> = async ({ tool_use_id }) => {
    await parts.calls.fail([tool_use_id]);
    return {};
  };
  return {
    ...profile,
    PreToolUse: [{ hooks: [before] }, ...(profile?.PreToolUse ?? [])],
    PostToolUse: [{ hooks: [after] }, ...(profile?.PostToolUse ?? [])],
    PostToolUseFailure: [{ hooks: [failed] }, ...(profile?.PostToolUseFailure ?? [])],
  };
}

type Before = Parameters<HookCallback<"PreToolUse">>[0];

async function beforeCall(
  { run, calls, events, approve }: ToolHooksParts,
  { tool_name: tool, tool_input, tool_use_id: toolUseId }: Before,
): Promise<HookAnswer> {
  const input = (tool_input ?? {}) as Readonly<Record<string, unknown>>;
  const verdict = await approve?.({ tool, input }, run);
  if (verdict === "deny") return decision("deny", "The worker does not allow this call.");
  if (!(await calls.begin({ toolUseId, tool, input }))) return decision("deny", LOST);
  events.add({ type: "tool", toolUseId, tool, input });
  if (verdict === "allow") return decision("allow", "The worker allows this call.");
  return verdict === "ask" ? decision("ask", "A person decides about this call.") : {};
}

function decision(permissionDecision: "allow" | "deny" | "ask", reason: string): HookAnswer {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision,
      permissionDecisionReason: reason,
    },
  };
}

/** What the model reads, if it reads it: the process is being killed. */
export const LOST = "This machine has lost the run, so it may not act any more.";
