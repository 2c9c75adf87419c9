import type { Open } from "../open.js";

export type PermissionMode =
  | "default"
  | "acceptEdits"
  | "bypassPermissions"
  | "plan"
  | "dontAsk"
  | "auto";

/** A mode as it travels: `manual` is what newer versions call `default`, and there may be more. */
export type PermissionModeName = Open<PermissionMode | "manual">;

/** A change of the permission rules, as the CLI suggests it and as an answer may ask for it. */
export type PermissionUpdate =
  | RulesUpdate<"addRules">
  | RulesUpdate<"replaceRules">
  | RulesUpdate<"removeRules">
  | DirectoriesUpdate<"addDirectories">
  | DirectoriesUpdate<"removeDirectories">
  | { type: "setMode"; mode: PermissionMode; destination: PermissionUpdateDestination };

type RulesUpdate<Type extends string> = {
  type: Type;
  rules: PermissionRuleValue[];
  behavior: PermissionBehavior;
  destination: PermissionUpdateDestination;
};

type DirectoriesUpdate<Type extends string> = {
  type: Type;
  directories: string[];
  destination: PermissionUpdateDestination;
};

export type PermissionBehavior = "allow" | "deny" | "ask";

export type PermissionRuleValue = {
  toolName: string;
  ruleContent?: string;
};

export type PermissionRule = PermissionRuleValue;

/** All but `session` and `cliArg` write a settings file. */
export type PermissionUpdateDestination =
  | "session"
  | "localSettings"
  | "projectSettings"
  | "userSettings"
  | "cliArg";

export type PermissionDestination = PermissionUpdateDestination;

/** The payload that answers `can_use_tool`. */
export type PermissionResult = PermissionAllow | PermissionDeny;

export type PermissionAllow = {
  behavior: "allow";
  /** Replaces the whole input; CLIs before 2.1.325 want it even if nothing changed. */
  updatedInput?: Record<string, unknown>;
  updatedPermissions?: PermissionUpdate[];
  toolUseID?: string;
  decisionClassification?: PermissionDecisionClassification;
};

export type PermissionDeny = {
  behavior: "deny";
  message: string;
  /** Ends the turn with `error_during_execution`. */
  interrupt?: boolean;
  toolUseID?: string;
  decisionClassification?: PermissionDecisionClassification;
};

/** The choice of the person; the CLI counts these. */
export type PermissionDecisionClassification = "user_temporary" | "user_permanent" | "user_reject";
