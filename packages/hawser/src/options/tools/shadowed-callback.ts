import type { Options } from "../options.js";
import { toolRow } from "./builtin-tools.js";

/**
 * The warning that `canUseTool` is not called for some tool calls; undefined if it is called for
 * all of them. With `rules` there is no warning, because the policy decides first, and what the
 * policy asks always reaches the callback.
 */
export function shadowedCallbackWarning(
  options: Options,
  concerns: (tool: string) => boolean = () => true,
): string | undefined {
  const { canUseTool, rules, permissionMode, allowedTools = [] } = options;
  if (canUseTool === undefined || rules !== undefined) return undefined;
  if (permissionMode === "bypassPermissions") {
    return (
      'canUseTool is asked about almost no call, because permissionMode "bypassPermissions" allows ' +
      "calls before it is asked. To see every call, use a PreToolUse hook or `rules`."
    );
  }
  const whole = allowedTools.filter((rule) => rule !== "" && !rule.includes("(") && concerns(rule));
  if (whole.length === 0) return undefined;
  return (
    `canUseTool is not asked about ${whole.join(", ")}, because allowedTools allows these tools ` +
    "with any input. To see every call, use a PreToolUse hook or `rules`; to be asked, take the " +
    "names out of allowedTools. Rules of settings files have the same effect."
  );
}

/**
 * A warning about shadowed callbacks, but only for tools that run commands or change files. Other tools do not count,
 * because allowing read-only tools or the caller's own tools is the ordinary use of `allowedTools`.
 */
export function shadowedChangesWarning(options: Options): string | undefined {
  return shadowedCallbackWarning(options, changesThings);
}

function changesThings(tool: string): boolean {
  const { commands = [], writes } = toolRow(tool);
  return commands.length > 0 || writes !== undefined || tool === "*";
}
