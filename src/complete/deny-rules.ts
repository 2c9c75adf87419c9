import { HawserError } from "../errors/index.js";
import { type ControlResponse, controlRequest, type Outbound } from "../wire/index.js";
import { fieldOf } from "./payload.js";

/** Asks the CLI which settings it goes by. */
export function askForSettings(id: string): Outbound {
  return controlRequest(id, { subtype: "get_settings" });
}

/**
 * Throws unless the CLI goes by as many deny rules as it was sent: it drops a settings file that it
 * does not like in silence, and every rule with it.
 */
export function checkDenyRules({ response }: ControlResponse, expected: number): void {
  const arrived = response.subtype === "success" ? countDenyRules(response.response) : 0;
  if (arrived >= expected) return;
  const message = `Only ${arrived} of ${expected} deny rules reached the CLI, so no prompt was sent.`;
  throw new HawserError("protocol_error", message, {
    hint: "Look at `settings` and `disallowedTools` for something that this CLI does not accept.",
  });
}

function countDenyRules(settings: unknown): number {
  const rules = fieldOf(settings, "effective", "permissions", "deny");
  return Array.isArray(rules) ? rules.length : 0;
}
