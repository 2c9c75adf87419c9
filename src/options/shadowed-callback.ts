import { guardLogger, hostMask, warnOnce } from "../errors/index.js";
import type { Options } from "./options.js";

/**
 * Why `canUseTool` is not asked about some calls, or undefined if it is asked about all of them. With
 * `rules` the policy decides first, and what it asks always reaches the callback.
 */
export function shadowedCallback(options: Options): string | undefined {
  const { canUseTool, rules, permissionMode, allowedTools = [] } = options;
  if (canUseTool === undefined || rules !== undefined) return undefined;
  if (permissionMode === "bypassPermissions") {
    return (
      'canUseTool is never asked, because permissionMode "bypassPermissions" allows every call ' +
      "before. To see every call, use a PreToolUse hook or `rules`."
    );
  }
  const whole = allowedTools.filter((rule) => rule !== "" && !rule.includes("("));
  if (whole.length === 0) return undefined;
  return (
    `canUseTool is not asked about ${whole.join(", ")}, because allowedTools allows these tools ` +
    "with any input. To see every call, use a PreToolUse hook or `rules`; to be asked, take the " +
    "names out of allowedTools. Rules of settings files have the same effect."
  );
}

/** Tells the logger that `canUseTool` is not asked about some calls; without a logger, Node's warnings. */
export function warnOfShadowedCallback(options: Options): void {
  const text = shadowedCallback(options);
  if (text === undefined) return;
  if (options.logger !== undefined) guardLogger(options.logger, hostMask()).warn(text);
  else warnOnce(text, "HAWSER_CAN_USE_TOOL_SHADOWED");
}
