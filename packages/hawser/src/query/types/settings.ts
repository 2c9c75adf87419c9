import type { SandboxSettings, SettingSource } from "../../options/index.js";
import type { PermissionMode } from "../../wire/index.js";

/** A settings file of the CLI: the most common keys, and any other. */
export interface Settings {
  $schema?: string;

  // Credentials and the environment.
  apiKeyHelper?: string;
  proxyAuthHelper?: string;
  awsCredentialExport?: string;
  awsAuthRefresh?: string;
  gcpAuthRefresh?: string;
  otelHeadersHelper?: string;
  env?: { [name: string]: string };
  forceLoginMethod?: "claudeai" | "console" | "gateway";
  forceLoginOrgUUID?: string | string[];

  // Permissions and the sandbox.
  permissions?: SettingsPermissions;
  sandbox?: SandboxSettings;
  skipDangerousModePermissionPrompt?: boolean;
  disableAutoMode?: "disable";
  allowManagedPermissionRulesOnly?: boolean;

  // Models.
  model?: string;
  fallbackModel?: string[];
  availableModels?: string[];
  enforceAvailableModels?: boolean;
  availableModelsMatch?: "prefix" | "exact";
  deniedModels?: string[];
  modelOverrides?: { [model: string]: string };
  advisorModel?: string;
  alwaysThinkingEnabled?: boolean;
  effortLevel?: "low" | "medium" | "high" | "xhigh";
  maxEffortLevel?: "low" | "medium" | "high" | "xhigh" | "max";
  fastMode?: boolean;
  promptCacheTtl?: "5m" | "1h";
  subagentPromptCacheTtl?: "5m" | "1h";

  // Hooks.
  hooks?: { [event: string]: SettingsHookMatcher[] };
  disableAllHooks?: boolean;
  allowManagedHooksOnly?: boolean;
  allowedHttpHookUrls?: string[];
  httpHookAllowedEnvVars?: string[];

  // MCP servers, plugins, skills, agents.
  enableAllProjectMcpServers?: boolean;
  enabledMcpjsonServers?: string[];
  disabledMcpjsonServers?: string[];
  managedMcpServers?: { [name: string]: { [field: string]: unknown } };
  allowedMcpServers?: McpServerEntry[];
  deniedMcpServers?: McpServerEntry[];
  allowManagedMcpServersOnly?: boolean;
  enabledPlugins?: { [plugin: string]: string[] | boolean | { [field: string]: unknown } };
  prependPlugins?: string[];
  appendPlugins?: string[];
  skillOverrides?: { [skill: string]: "on" | "name-only" | "user-invocable-only" | "off" };
  disableBundledSkills?: boolean;
  disableSkillShellExecution?: boolean;
  agent?: string;

  // Display and language.
  outputStyle?: string;
  language?: string;
  viewMode?: "default" | "verbose" | "focus";
  verbose?: boolean;
  statusLine?: {
    type: "command";
    command: string;
    padding?: number;
    refreshInterval?: number;
    hideVimModeIndicator?: boolean;
  };
  subagentStatusLine?: { type: "command"; command: string };
  fileSuggestion?: { type: "command"; command: string };
  companyAnnouncements?: string[];
  spinnerTipsEnabled?: boolean;
  promptSuggestionEnabled?: boolean;
  editorMode?: "normal" | "vim";
  defaultShell?: "bash" | "powershell";

  // Git.
  attribution?:
    | boolean
    | { commit?: string; pr?: string; sessionUrl?: boolean; [field: string]: unknown };
  includeCoAuthoredBy?: boolean;
  includeGitInstructions?: boolean;
  respectGitignore?: boolean;
  worktree?: {
    symlinkDirectories?: string[];
    sparsePaths?: string[];
    baseRef?: "fresh" | "head";
    bgIsolation?: "worktree" | "none";
    location?: string;
  };

  // The conversation and its files.
  cleanupPeriodDays?: number;
  claudeMd?: string;
  claudeMdExcludes?: string[];
  plansDirectory?: string;
  autoCompactEnabled?: boolean;
  autoCompactWindow?: number;
  autoMemoryEnabled?: boolean;
  autoMemoryDirectory?: string;
  fileCheckpointingEnabled?: boolean;
  showThinkingSummaries?: boolean;
  bashOutputMaxChars?: number;
  taskOutputMaxChars?: number;
  skipWebFetchPreflight?: boolean;

  // Versions.
  autoUpdatesChannel?: "latest" | "stable" | "rc";
  minimumVersion?: string;
  requiredMinimumVersion?: string;
  requiredMaximumVersion?: string;

  [key: string]: unknown;
}

/** The permission rules of a settings file. */
export type SettingsPermissions = {
  allow?: string[];
  deny?: string[];
  ask?: string[];
  defaultMode?: PermissionMode;
  disableBypassPermissionsMode?: "disable";
  disableAutoMode?: "disable";
  denyInsteadOfPrompting?: boolean;
  additionalDirectories?: string[];
  blockReadsOutsideWorkingDirectories?: boolean;
  blockWritesOutsideWorkingDirectories?: boolean;
  blockReadsExemptPaths?: string[];
  workingDirectoriesAsGiven?: string[];
  [key: string]: unknown;
};

/** Hooks of a settings file for the tools that a pattern fits. */
export type SettingsHookMatcher = {
  matcher?: string;
  hooks: SettingsHook[];
};

type Hook = {
  /** Only for calls that this rule fits. */
  if?: string;
  /** Seconds. */
  timeout?: number;
  statusMessage?: string;
  once?: boolean;
};

/** A hook of a settings file. */
export type SettingsHook =
  | (Hook & {
      type: "command";
      command: string;
      args?: string[];
      shell?: "bash" | "powershell";
      onFailure?: "continue" | "block";
      async?: boolean;
      asyncRewake?: boolean;
    })
  | (Hook & { type: "prompt"; prompt: string; model?: string; continueOnBlock?: boolean })
  | (Hook & { type: "agent"; prompt: string; model?: string })
  | (Hook & {
      type: "http";
      url: string;
      headers?: { [name: string]: string };
      allowedEnvVars?: string[];
      onFailure?: "continue" | "block";
    })
  | (Hook & {
      type: "mcp_tool";
      server: string;
      tool: string;
      input?: { [name: string]: unknown };
    });

type McpServerEntry = {
  serverName?: string;
  serverCommand?: [string, ...string[]];
  serverUrl?: string;
};

/** Where a setting can come from. */
export type ResolvedSettingSource = SettingSource | "managed" | "flag";

/** Where a managed setting can come from. */
export type PolicySettingsOrigin =
  | "helper"
  | "remote"
  | "plist"
  | "hklm"
  | "file"
  | "parent"
  | "hkcu";

/** Where the value of one setting comes from. */
export type ProvenanceEntry = {
  source: ResolvedSettingSource;
  path?: string;
  policyOrigin?: PolicySettingsOrigin;
};

/** The settings that would be in force, and where each comes from. */
export type ResolvedSettings = {
  effective: Settings;
  provenance: Partial<Record<keyof Settings, ProvenanceEntry>>;
  sources: (ProvenanceEntry & { settings: Settings })[];
  machinePolicy?: { didNotLoad: false | ("profile" | "registry" | "file")[] };
};

/** The options of `resolveSettings()`. */
export type ResolveSettingsOptions = {
  cwd?: string;
  settingSources?: SettingSource[];
  managedSettings?: Settings;
  serverManagedSettings?: Settings;
};
