import type { FastModeDisabledReason, FastModeState } from "../message/system-init.js";
import type { SlashCommand } from "../message/system-state.js";
import type { JsonObject, Open } from "../open.js";
import type { HostSubtype } from "./host-request.js";
import type { McpServerStatus } from "./mcp.js";
import type { PermissionModeName } from "./permission.js";

/** The payload of a successful answer; `undefined` if the CLI may leave it out. */
export type HostPayload<S extends string> = S extends keyof HostPayloads
  ? HostPayloads[S]
  : S extends HostSubtype
    ? JsonObject | undefined
    : unknown;

/** The payload of the answer to each request of the host, by subtype. */
export interface HostPayloads {
  initialize: InitializePayload;
  /** Absent before 2.1.325's generation. */
  interrupt: InterruptReceipt | undefined;
  set_model: { readonly model?: string } | undefined;
  set_permission_mode: { readonly mode: PermissionModeName } | undefined;
  mcp_status: { readonly mcpServers: McpServerStatus[] };
  mcp_set_servers: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    /** Why a server failed, by name. */
    readonly errors: Readonly<Record<string, string>>;
  };
  rewind_files: RewindReceipt;
  get_context_usage: ContextUsage;
  read_file: {
    readonly contents: string;
    readonly absPath: string;
    readonly truncated?: boolean;
    readonly encoding?: Open<"base64">;
    readonly lossy?: boolean;
    readonly requested_path?: string;
  };
  cancel_async_message: { readonly cancelled: boolean };
  get_task_output: {
    readonly output: string;
    readonly total_bytes: number;
    readonly truncated: boolean;
  };
  register_repo_root: { readonly directory: string };
  file_suggestions: { readonly suggestions: readonly unknown[]; readonly cwd: string };
  side_question: { readonly response: string; readonly synthetic: boolean };
  claim_session: {
    readonly status: Open<"ok">;
    readonly cwd: string;
    readonly session_id: string;
    readonly parked_ms?: number;
    readonly sdk_mcp_settled?: boolean;
    readonly initialize?: InitializePayload;
  };
}

/** The answer to an interrupt. */
export interface InterruptReceipt {
  /** Prompts that will still run. */
  readonly still_queued: readonly string[];
  readonly cancelled?: readonly string[];
}

/** The answer to a request to restore files. */
export interface RewindReceipt {
  readonly canRewind: boolean;
  readonly filesChanged?: readonly string[];
  readonly insertions?: number;
  readonly deletions?: number;
  readonly skippedLinks?: number;
  readonly error?: string;
}

/** How much of the model's context the conversation fills. */
export interface ContextUsage {
  readonly categories: readonly JsonObject[];
  readonly totalTokens: number;
  readonly maxTokens: number;
  readonly percentage: number;
  readonly [field: string]: unknown;
}

/** The answer to initialize: what the CLI offers. */
export interface InitializePayload {
  readonly commands: SlashCommand[];
  readonly agents: AgentInfo[];
  readonly models: ModelInfo[];
  readonly account: AccountInfo;
  readonly output_style?: string;
  readonly available_output_styles?: readonly string[];
  readonly pid?: number;
  readonly claude_code_version?: string;
  readonly current_permission_mode?: PermissionModeName;
  readonly session_state?: Open<"running" | "idle" | "requires_action">;
  readonly hooks_applied?: boolean;
  readonly hook_on_failure_supported?: boolean;
  readonly plugins_applied?: boolean;
  readonly sdk_mcp_manifests_parked?: Readonly<
    Record<
      string,
      "parked" | "already_connected" | "protocol_version_mismatch" | "malformed" | "not_honoured"
    >
  >;
  readonly fast_mode_state?: Open<FastModeState>;
  readonly fast_mode_disabled_reason?: Open<FastModeDisabledReason>;
  readonly capabilities?: readonly string[];
  readonly [field: string]: unknown;
}

/** A sub-agent that the session has. */
export type AgentInfo = {
  name: string;
  description: string;
  model?: string;
};

/** A model that the account can use. */
export type ModelInfo = {
  value: string;
  /** The id of the model, if `value` is an alias. */
  resolvedModel?: string;
  displayName: string;
  description: string;
  supportsEffort?: boolean;
  supportedEffortLevels?: EffortLevel[];
  supportsAdaptiveThinking?: boolean;
  supportsFastMode?: boolean;
  supportsAutoMode?: boolean;
};

/** How much effort the model puts into an answer. */
export type EffortLevel = "low" | "medium" | "high" | "xhigh" | "max";

/** The account that pays, as far as the CLI reports it. */
export type AccountInfo = {
  email?: string;
  organization?: string;
  subscriptionType?: string;
  tokenSource?: string;
  apiKeySource?: string;
  apiProvider?:
    | "firstParty"
    | "bedrock"
    | "vertex"
    | "foundry"
    | "anthropicAws"
    | "anthropicGoogleCloud"
    | "mantle"
    | "gateway";
};
