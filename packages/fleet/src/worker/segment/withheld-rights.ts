import type { PermissionMode, PermissionUpdate, SessionOptions } from "hawser";
import { splitRule } from "./covers-rule.js";

/**
 * The options for a session that begins with a call whose input a person has changed. Observed: the CLI begins with
 * such a call before it has read the hooks, and runs it with the model's input if a flag allows it. So no flag does,
 * and the CLI must ask.
 */
export function withholdRights(options: SessionOptions): SessionOptions {
  return { ...options, allowedTools: [], permissionMode: "default" };
}

/** The changes with which the answer to that call gives the rights back, for this session. */
export function givenBack({
  allowedTools = [],
  permissionMode,
}: SessionOptions): PermissionUpdate[] {
  const rules = allowedTools.map((rule) => {
    const [toolName, ruleContent] = splitRule(rule);
    return ruleContent === undefined ? { toolName } : { toolName, ruleContent };
  });
  const updates: PermissionUpdate[] = [];
  if (rules.length > 0) {
    updates.push({ type: "addRules", rules, behavior: "allow", destination: "session" });
  }
  if (permissionMode !== undefined && permissionMode !== "default" && permissionMode !== "manual") {
    const mode: PermissionMode = permissionMode;
    updates.push({ type: "setMode", mode, destination: "session" });
  }
  return updates;
}
