import type { JsonObject, Open } from "../open.js";
import type { UnknownRequest } from "./control.js";
import type { McpMessage } from "./mcp.js";
import type { PermissionModeName } from "./permission.js";

/** A request of the host to the CLI. */
export type HostRequest =
  | InitializeRequest
  | { [S in HostSubtype]: { readonly subtype: S } & HostRequestFields[S] }[HostSubtype]
  | UnknownRequest;

/** The subtype of a request of the host. */
export type HostSubtype = keyof HostRequestFields;

type NoFields = Readonly<Record<never, never>>;

/**
 * The fields of each request besides its subtype. The CLI spells the name of an MCP server
 * `serverName` in most requests and `server_name` in `mcp_message`.
 */
export interface HostRequestFields {
  /** Queued prompts still run unless `cancel_queued`. */
  interrupt: { readonly cancel_queued?: boolean };
  /** Absent or null is the default model. The name is not checked before the next API call. */
  set_model: { readonly model?: string | null };
  set_permission_mode: { readonly mode: PermissionModeName };
  set_max_thinking_tokens: {
    readonly max_thinking_tokens: number | null;
    readonly thinking_display?: Open<"summarized" | "omitted" | "highlights"> | null;
  };
  apply_flag_settings: { readonly settings: JsonObject };
  /** Writes a settings file. */
  update_settings: {
    readonly source: Open<"localSettings" | "userSettings">;
    readonly settings: JsonObject;
  };
  mcp_status: { readonly liveReply?: boolean };
  mcp_set_servers: { readonly servers: Readonly<Record<string, JsonObject>> };
  mcp_reconnect: { readonly serverName: string };
  mcp_toggle: { readonly serverName: string; readonly enabled: boolean };
  set_mcp_permission_mode_override: {
    readonly serverName: string;
    readonly mode: PermissionModeName | null;
  };
  mcp_read_resource: { readonly serverName: string; readonly uri: string };
  /** Runs a tool without a model turn. It does not work for in-process servers. */
  mcp_call: {
    readonly serverName: string;
    readonly tool: string;
    readonly arguments?: JsonObject;
  };
  mcp_message: { readonly server_name: string; readonly message: McpMessage };
  rewind_files: { readonly user_message_id: string; readonly dry_run?: boolean };
  get_context_usage: { readonly detail?: Open<"summary" | "full"> };
  get_usage: { readonly skip_behaviors?: boolean };
  get_session_cost: NoFields;
  get_binary_version: NoFields;
  get_settings: NoFields;
  get_hooks_listing: NoFields;
  list_models: NoFields;
  list_permission_rules: NoFields;
  read_file: {
    readonly path: string;
    readonly max_bytes?: number;
    readonly encoding?: Open<"utf-8" | "base64">;
  };
  seed_read_state: { readonly path: string; readonly mtime: number };
  reload_plugins: NoFields;
  reload_skills: NoFields;
  reload_output_styles: NoFields;
  cancel_async_message: { readonly message_uuid: string };
  stop_task: { readonly task_id: string };
  background_tasks: { readonly tool_use_id?: string };
  get_task_output: { readonly task_id: string };
  rename_session: {
    readonly title: string;
    readonly source?: Open<"remote" | "host">;
    readonly session_id?: string;
  };
  register_repo_root: {
    readonly directory: string;
    readonly reload_claude_md?: boolean;
    readonly reload_plugins?: boolean;
    readonly reload_skills?: boolean;
  };
  file_suggestions: { readonly query: string };
  side_question: { readonly question: string };
  /** A graceful stop without closing stdin. */
  end_session: NoFields;
  /** Only with `--await-claim`, once per process. */
  claim_session: {
    readonly cwd: string;
    readonly sdk_mcp_servers?: readonly string[];
    readonly include_initialize?: boolean;
    readonly permission_mode?: PermissionModeName;
  };
  set_cwd: { readonly path: string };
  set_color: { readonly color: string };
}

/** The first control request of a connection. Every field is optional. */
export interface InitializeRequest {
  readonly subtype: "initialize";
  readonly hooks?: Readonly<Record<string, readonly HookRegistration[]>>;
  readonly sdkMcpServers?: readonly string[];
  readonly sdkMcpServerConfigs?: Readonly<Record<string, unknown>>;
  readonly sdkMcpServerManifests?: Readonly<Record<string, unknown>>;
  readonly jsonSchema?: Readonly<Record<string, unknown>>;
  /** If it is absent, the CLI uses its own prompt; `[""]` is no prompt. */
  readonly systemPrompt?: readonly string[];
  readonly appendSystemPrompt?: string;
  readonly systemPromptSnapshot?: boolean;
  readonly excludeDynamicSections?: boolean;
  readonly planModeInstructions?: string;
  readonly toolAliases?: Readonly<Record<string, string>>;
  readonly agents?: Readonly<Record<string, unknown>>;
  readonly title?: string;
  readonly skills?: readonly string[];
  readonly promptSuggestions?: boolean;
  readonly agentProgressSummaries?: boolean;
  readonly forwardSubagentText?: boolean;
  readonly supportedDialogKinds?: readonly string[];
  readonly perTaskStopAffordance?: boolean;
  readonly plugins?: readonly { readonly type: "local"; readonly path: string }[];
}

/** The registration of hook callbacks in the initialize request. */
export interface HookRegistration {
  readonly matcher?: string;
  readonly hookCallbackIds: readonly string[];
  /** Seconds. */
  readonly timeout?: number;
  readonly onFailure?: "block";
}
