import type { BaseHookInput } from "./base-hook-input.js";

type TeamTask = {
  task_id: string;
  task_subject: string;
  task_description?: string;
  teammate_name?: string;
  team_name?: string;
};

/** A task of a team was created. */
export type TaskCreatedHookInput = BaseHookInput & TeamTask & { hook_event_name: "TaskCreated" };

/** A task of a team was completed. */
export type TaskCompletedHookInput = BaseHookInput &
  TeamTask & { hook_event_name: "TaskCompleted" };

/** A teammate has nothing to do. */
export type TeammateIdleHookInput = BaseHookInput & {
  hook_event_name: "TeammateIdle";
  teammate_name: string;
  team_name: string;
};

/** An MCP server asks the user a question. The hook can answer in place of the user. */
export type ElicitationHookInput = BaseHookInput & {
  hook_event_name: "Elicitation";
  mcp_server_name: string;
  message: string;
  mode?: "form" | "url";
  url?: string;
  elicitation_id?: string;
  requested_schema?: Record<string, unknown>;
};

/** The user has answered a question of an MCP server, and the server has not got the answer yet. */
export type ElicitationResultHookInput = BaseHookInput & {
  hook_event_name: "ElicitationResult";
  mcp_server_name: string;
  elicitation_id?: string;
  mode?: "form" | "url";
  action: "accept" | "decline" | "cancel";
  content?: Record<string, unknown>;
};

/** Settings or skills have changed. */
export type ConfigChangeHookInput = BaseHookInput & {
  hook_event_name: "ConfigChange";
  source: "user_settings" | "project_settings" | "local_settings" | "policy_settings" | "skills";
  file_path?: string;
};

/** A git worktree is to be created. */
export type WorktreeCreateHookInput = BaseHookInput & {
  hook_event_name: "WorktreeCreate";
  name: string;
};

/** A git worktree is to be removed. */
export type WorktreeRemoveHookInput = BaseHookInput & {
  hook_event_name: "WorktreeRemove";
  worktree_path: string;
};

/** An instruction file (CLAUDE.md) was loaded. */
export type InstructionsLoadedHookInput = BaseHookInput & {
  hook_event_name: "InstructionsLoaded";
  file_path: string;
  memory_type: "User" | "Project" | "Local" | "Managed";
  load_reason: "session_start" | "nested_traversal" | "path_glob_match" | "include" | "compact";
  globs?: string[];
  trigger_file_path?: string;
  parent_file_path?: string;
};

/** The working directory has changed. */
export type CwdChangedHookInput = BaseHookInput & {
  hook_event_name: "CwdChanged";
  old_cwd: string;
  new_cwd: string;
};

/** A watched file has changed. */
export type FileChangedHookInput = BaseHookInput & {
  hook_event_name: "FileChanged";
  file_path: string;
  event: "change" | "add" | "unlink";
};

/** A directory was added to the session. */
export type DirectoryAddedHookInput = BaseHookInput & {
  hook_event_name: "DirectoryAdded";
  directory: string;
  source: "slash_command" | "register_repo_root";
};

/** Lines of a reply while it streams. `final` marks the last batch of a message. */
export type MessageDisplayHookInput = BaseHookInput & {
  hook_event_name: "MessageDisplay";
  turn_id: string;
  /** Not the API's id of the message. */
  message_id: string;
  index: number;
  final: boolean;
  delta: string;
};
