import { getPath, HawserError, type Issue } from "../../base/index.js";
import type { Invocation, Options } from "../../options/index.js";

/** The settings that the CLI must have after its start; otherwise no prompt is sent. */
export interface Expected {
  readonly denyRules: number;
  readonly sandbox: boolean;
  /** Whether our settings name a permission mode that this CLI may not know. */
  readonly mode: boolean;
}

/** Undefined if there is nothing to check. */
export function expectedOf(
  { expectedDenyRules: denyRules, expectsMode }: Invocation,
  options: Options,
): Expected | undefined {
  const sandbox = options.sandbox !== undefined;
  const mode = expectsMode === true;
  return denyRules > 0 || sandbox || mode ? { denyRules, sandbox, mode } : undefined;
}

/**
 * Throws unless the CLI's answer to `get_settings` has the settings that it was sent. The CLI silently
 * drops settings that it does not accept, and with them every rule and the sandbox.
 */
export function checkSettings(settings: unknown, { denyRules, sandbox, mode }: Expected): void {
  const sources = getPath(settings, "sources");
  // Rules from the user's own settings do not count.
  const ours = getPath(Array.isArray(sources) ? sources.find(isOurs) : undefined, "settings");
  const rules = getPath(ours, "permissions", "deny");
  const arrived = Array.isArray(rules) ? rules.length : 0;
  if (arrived < denyRules) {
    throw missing(`Only ${arrived} of ${denyRules} deny rules reached the CLI`, settings);
  }
  if (sandbox && getPath(ours, "sandbox") === undefined) {
    throw missing("The sandbox did not reach the CLI", settings);
  }
  // The CLI may call the mode by another of its names.
  if (mode && getPath(ours, "permissions", "defaultMode") === undefined) {
    throw missing("The settings with their default mode did not reach the CLI", settings);
  }
}

function isOurs(source: unknown): boolean {
  return getPath(source, "source") === "flagSettings";
}

function missing(what: string, settings: unknown): HawserError {
  return new HawserError("protocol_error", `${what}, so no prompt was sent.`, {
    hint: "Look at `settings` and `disallowedTools` for something that this CLI does not accept.",
    issues: problemsIn(settings),
  });
}

/** The problems that the CLI found in settings. */
function problemsIn(settings: unknown): Issue[] {
  const errors = getPath(settings, "errors");
  if (!Array.isArray(errors)) return [];
  return errors.map((error) => ({
    path: String(getPath(error, "path") ?? "settings"),
    message: String(getPath(error, "message")),
  }));
}
