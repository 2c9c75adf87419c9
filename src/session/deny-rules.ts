import { HawserError } from "../errors/index.js";
import { fieldOf } from "./payload.js";

/**
 * Throws unless the CLI's answer to `get_settings` has as many deny rules as it was sent: it drops
 * a settings file that it does not like in silence, and every rule with it.
 */
export function checkDenyRules(settings: unknown, expected: number): void {
  const rules = fieldOf(settings, "effective", "permissions", "deny");
  const arrived = Array.isArray(rules) ? rules.length : 0;
  if (arrived >= expected) return;
  const message = `Only ${arrived} of ${expected} deny rules reached the CLI, so no prompt was sent.`;
  throw new HawserError("protocol_error", message, {
    hint: "Look at `settings` and `disallowedTools` for something that this CLI does not accept.",
  });
}
