import type { JsonObject, Open } from "./open.js";

/** `manual` is what newer versions call `default`. */
export type PermissionMode = Open<
  "default" | "acceptEdits" | "plan" | "dontAsk" | "auto" | "bypassPermissions" | "manual"
>;

/** A change of the permission rules, as the CLI suggests it and as an answer may ask for it. */
export type PermissionUpdate =
  | {
      readonly type: "addRules" | "replaceRules" | "removeRules";
      readonly rules: readonly PermissionRule[];
      readonly behavior: "allow" | "deny" | "ask";
      readonly destination: PermissionDestination;
    }
  | {
      readonly type: "addDirectories" | "removeDirectories";
      readonly directories: readonly string[];
      readonly destination: PermissionDestination;
    }
  | {
      readonly type: "setMode";
      readonly mode: PermissionMode;
      readonly destination: PermissionDestination;
    }
  | { readonly type: string; readonly [field: string]: unknown };

export interface PermissionRule {
  readonly toolName: string;
  readonly ruleContent?: string;
}

/** All but `session` and `cliArg` write a settings file. */
export type PermissionDestination = Open<
  "session" | "localSettings" | "projectSettings" | "userSettings" | "cliArg"
>;

/** The payload that answers `can_use_tool`. */
export type PermissionResult = PermissionAllow | PermissionDeny;

export interface PermissionAllow {
  readonly behavior: "allow";
  /** Replaces the whole input; CLIs before 2.1.325 want it even if nothing changed. */
  readonly updatedInput?: JsonObject;
  readonly updatedPermissions?: readonly PermissionUpdate[];
  readonly toolUseID?: string;
}

export interface PermissionDeny {
  readonly behavior: "deny";
  readonly message: string;
  /** Ends the turn with `error_during_execution`. */
  readonly interrupt?: boolean;
  readonly toolUseID?: string;
}
