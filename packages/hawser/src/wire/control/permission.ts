import type { Open } from "../open.js";

/** What happens to tool calls that no rule decides. */
export type PermissionMode =
  | "default"
  | "acceptEdits"
  | "bypassPermissions"
  | "plan"
  | "dontAsk"
  | "auto";

/**
 * The name of a mode as the CLI sends it. Newer CLIs call `default` `manual`, and may have more.
 */
export type PermissionModeName = Open<PermissionMode | "manual">;

/** A change of the permission rules. The CLI suggests changes, and an answer can ask for them. */
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

/** The effect of a permission rule. */
export type PermissionBehavior = "allow" | "deny" | "ask";

/** A permission rule: a tool and, in `ruleContent`, what its calls must match. */
export type PermissionRuleValue = {
  toolName: string;
  ruleContent?: string;
};

/** Alias of `PermissionRuleValue`. */
export type PermissionRule = PermissionRuleValue;

/** Where a permission rule is stored. All but `session` and `cliArg` write a settings file. */
export type PermissionUpdateDestination =
  | "session"
  | "localSettings"
  | "projectSettings"
  | "userSettings"
  | "cliArg";

/** Alias of `PermissionUpdateDestination`. */
export type PermissionDestination = PermissionUpdateDestination;

/** The answer of `canUseTool`: the tool call is allowed or denied. */
export type PermissionResult = PermissionAllow | PermissionDeny;

/** The answer of `canUseTool` that allows a tool call. */
export type PermissionAllow = {
  behavior: "allow";
  /** Replaces the whole input of the tool. CLIs before 2.1.325 need it even if nothing changed. */
  updatedInput?: Record<string, unknown>;
  updatedPermissions?: PermissionUpdate[];
  toolUseID?: string;
  decisionClassification?: PermissionDecisionClassification;
};

/** The answer of `canUseTool` that denies a tool call. The model reads `message`. */
export type PermissionDeny = {
  behavior: "deny";
  message: string;
  /** Ends the turn with `error_during_execution`. */
  interrupt?: boolean;
  toolUseID?: string;
  decisionClassification?: PermissionDecisionClassification;
};

/** The choice of the user. The CLI counts these. */
export type PermissionDecisionClassification = "user_temporary" | "user_permanent" | "user_reject";
