import { looksSecret, objectOf } from "../../base/index.js";
import type { JsonObject } from "../../wire/index.js";
import type { Draft } from "../draft.js";

/** Any other key may: `env`, helpers, hooks, and whatever is added to the CLI later. */
export function mayHoldSecret(settings: JsonObject): boolean {
  return Object.keys(settings).some((key) => !OPEN_KEYS.has(key));
}

const OPEN_KEYS = new Set([
  "alwaysThinkingEnabled",
  "cleanupPeriodDays",
  "disableAllHooks",
  "disableSkillShellExecution",
  "effortLevel",
  "includeCoAuthoredBy",
  "language",
  "model",
  "outputStyle",
  "permissions",
  "sandbox",
]);

/** `env` in settings reaches the tools; what looks secret there must not be seen in a log. */
export function addVariables({ secrets }: Draft, settings: JsonObject): void {
  for (const [name, value] of Object.entries(objectOf(settings["env"]))) {
    if (typeof value === "string" && looksSecret(name, value)) secrets.add(value);
  }
}
