import type { JsonObject } from "../../wire/index.js";
import { addFlag, addPair, awaitInitialize, type Draft, isSince, mayUse } from "../draft.js";
import { plain } from "./plain.js";
import { addVariables, mayHoldSecret } from "./settings-secrets.js";

/** A policy has no file; where the command line will not do, the newest CLIs take it by initialize. */
export function applyManagedSettings(draft: Draft, policy: JsonObject): void {
  const secret = mayHoldSecret(policy);
  addVariables(draft, policy);
  if (!secret && (!draft.compact || !isSince(draft.cli, SINCE_POLICY))) {
    addPair(draft, "managedSettings", "--managed-settings", JSON.stringify(policy));
  } else if (mayUse(draft, "managedSettings with what may be secret", SINCE_POLICY)) {
    addFlag(draft, "managedSettings", "--managed-settings-in-initialize");
    awaitInitialize(draft, "managedSettings");
    draft.initialize.managedSettings = plain(policy);
  }
}

const SINCE_POLICY = "2.1.323";
