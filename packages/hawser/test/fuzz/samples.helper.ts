import { readFileSync } from "node:fs";
import type { CliRequest, Messages, SystemMessages } from "../../src/wire/index.js";

export type Json = Readonly<Record<string, unknown>>;

/** The output of a CLI for one prompt, with the answer to initialize first. */
export function recorded(version: "2.1.197" | "2.1.325"): Json[] {
  const file = new URL(`../wire/fixtures/cli-${version}.jsonl`, import.meta.url);
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Json);
}

/** The prompt of the recording. */
export const PROMPT_ID = "b6307b42-ca46-4bef-be08-dcc0d6dae2ac";

const STAMP = {
  uuid: "11111111-2222-4333-8444-555555555555",
  session_id: "dedcb7fd-b786-48e8-849e-45f1b9f0aa4e",
};
const TASK = { ...STAMP, type: "system", task_id: "t1", tool_use_id: "toolu_1" } as const;
const HOOK = {
  ...STAMP,
  type: "system",
  hook_id: "h1",
  hook_name: "PreToolUse:Bash",
  hook_event: "PreToolUse",
} as const;
const USAGE = { total_tokens: 10, tool_uses: 1, duration_ms: 5 };
const PROGRESS = { ...STAMP, type: "system", detail: { value: 1 } } as const;

/** A message of each type that the recordings lack. A new type without a sample does not compile. */
const OTHER_LINES = {
  tool_progress: {
    ...STAMP,
    type: "tool_progress",
    tool_use_id: "toolu_1",
    tool_name: "Bash",
    parent_tool_use_id: null,
    elapsed_time_seconds: 1.5,
    heartbeat: true,
  },
  conversation_reset: {
    ...STAMP,
    type: "conversation_reset",
    new_conversation_id: "22222222-2222-4333-8444-555555555555",
    trigger: "clear",
    user_message_uuid: "33333333-2222-4333-8444-555555555555",
  },
  prompt_suggestion: { ...STAMP, type: "prompt_suggestion", suggestion: "go on" },
  transcript_mirror: {
    type: "transcript_mirror",
    filePath: "/work/x.jsonl",
    entries: [{ type: "user", uuid: "u" }],
  },
  keep_alive: { type: "keep_alive", startup_mark: 1 },
  rate_limit_event: {
    ...STAMP,
    type: "rate_limit_event",
    rate_limit_info: {
      status: "rejected",
      resetsAt: 1_800_000_000,
      rateLimitType: "five_hour",
      utilization: 1,
    },
  },
  auth_status: { ...STAMP, type: "auth_status", isAuthenticating: true, output: ["a"], error: "e" },
  tool_use_summary: {
    ...STAMP,
    type: "tool_use_summary",
    summary: "s",
    preceding_tool_use_ids: ["toolu_1"],
  },
  control_cancel_request: { type: "control_cancel_request", request_id: "q1" },
} satisfies { readonly [Type in Exclude<keyof Messages, Recorded>]: Messages[Type] };

/** The types that the recordings have, and `hawser`, which no CLI sends. */
type Recorded =
  | "assistant"
  | "user"
  | "result"
  | "system"
  | "stream_event"
  | "command_lifecycle"
  | "control_request"
  | "control_response"
  | "hawser";

const SYSTEM_LINES = {
  api_retry: {
    ...STAMP,
    type: "system",
    subtype: "api_retry",
    attempt: 1,
    max_retries: 10,
    retry_delay_ms: 600,
    error_status: 529,
    error: "overloaded",
  },
  model_fallback: {
    ...STAMP,
    type: "system",
    subtype: "model_fallback",
    trigger: "overloaded",
    original_model: "a",
    fallback_model: "b",
    content: "c",
  },
  model_refusal_fallback: {
    ...STAMP,
    type: "system",
    subtype: "model_refusal_fallback",
    trigger: "refusal",
    original_model: "a",
    fallback_model: "b",
    retracted_message_uuids: ["x"],
    content: "c",
  },
  model_refusal_no_fallback: {
    ...STAMP,
    type: "system",
    subtype: "model_refusal_no_fallback",
    content: "c",
  },
  compact_boundary: {
    ...STAMP,
    type: "system",
    subtype: "compact_boundary",
    compact_metadata: { trigger: "auto", pre_tokens: 100 },
  },
  thinking_tokens: {
    ...STAMP,
    type: "system",
    subtype: "thinking_tokens",
    estimated_tokens: 10,
    estimated_tokens_delta: 1,
  },
  commands_changed: {
    ...STAMP,
    type: "system",
    subtype: "commands_changed",
    commands: [{ name: "n", description: "d", argumentHint: "" }],
  },
  task_started: { ...TASK, subtype: "task_started", task_type: "local_bash", description: "d" },
  task_progress: { ...TASK, subtype: "task_progress", description: "d", usage: USAGE },
  task_updated: { ...TASK, subtype: "task_updated", patch: { status: "completed", end_time: 1 } },
  task_notification: {
    ...TASK,
    subtype: "task_notification",
    status: "completed",
    summary: "s",
    output_file: "/tmp/o",
    usage: USAGE,
  },
  background_tasks_changed: {
    ...STAMP,
    type: "system",
    subtype: "background_tasks_changed",
    tasks: [{ task_id: "t1", task_type: "local_bash", description: "d", ambient: false }],
  },
  hook_started: { ...HOOK, subtype: "hook_started" },
  hook_progress: { ...HOOK, subtype: "hook_progress", stdout: "a", stderr: "", output: "a" },
  hook_response: {
    ...HOOK,
    subtype: "hook_response",
    stdout: "a",
    stderr: "",
    output: "a",
    exit_code: 0,
    outcome: "success",
  },
  permission_denied: {
    ...STAMP,
    type: "system",
    subtype: "permission_denied",
    tool_name: "Bash",
    tool_use_id: "toolu_1",
    message: "no",
  },
  informational: {
    ...STAMP,
    type: "system",
    subtype: "informational",
    content: "c",
    level: "info",
    prevent_continuation: false,
  },
  notification: {
    ...STAMP,
    type: "system",
    subtype: "notification",
    key: "k",
    text: "t",
    priority: "low",
    timeout_ms: 5,
  },
  local_command_output: { ...STAMP, type: "system", subtype: "local_command_output", content: "c" },
  plugin_install: {
    ...STAMP,
    type: "system",
    subtype: "plugin_install",
    status: "failed",
    name: "n",
    error: "e",
  },
  files_persisted: {
    ...STAMP,
    type: "system",
    subtype: "files_persisted",
    files: [{ filename: "f", file_id: "i" }],
    failed: [{ filename: "g", error: "e" }],
    processed_at: "2026-01-01T00:00:00Z",
  },
  memory_recall: {
    ...STAMP,
    type: "system",
    subtype: "memory_recall",
    mode: "m",
    memories: [{ path: "p", scope: "s", content: "c" }],
  },
  elicitation_complete: {
    ...STAMP,
    type: "system",
    subtype: "elicitation_complete",
    mcp_server_name: "m",
    elicitation_id: "i",
  },
  mirror_error: {
    ...STAMP,
    type: "system",
    subtype: "mirror_error",
    error: "e",
    key: { projectKey: "p", sessionId: "s", subpath: "x" },
  },
  control_request_progress: { ...PROGRESS, subtype: "control_request_progress" },
  session_title_changed: { ...PROGRESS, subtype: "session_title_changed" },
  ui_invalidate: { ...PROGRESS, subtype: "ui_invalidate" },
  session_writes_lost: { ...PROGRESS, subtype: "session_writes_lost" },
  worker_shutting_down: { ...PROGRESS, subtype: "worker_shutting_down" },
  active_goal: { ...PROGRESS, subtype: "active_goal" },
} satisfies {
  readonly [Subtype in Exclude<
    keyof SystemMessages,
    "init" | "session_state_changed" | "status"
  >]: SystemMessages[Subtype];
};

/** Errors of the API, and other messages of a turn that the recordings lack. */
const FAILURES: readonly Json[] = [
  {
    ...STAMP,
    type: "assistant",
    error: "rate_limit",
    parent_tool_use_id: null,
    message: {
      id: "m",
      model: "<synthetic>",
      role: "assistant",
      content: [{ type: "text", text: "no" }],
    },
  },
  {
    ...STAMP,
    type: "result",
    subtype: "success",
    is_error: true,
    user_message_uuids: [PROMPT_ID],
    result: "API Error: 429",
    api_error_status: 429,
    stop_reason: "refusal",
    terminal_reason: "api_error",
    num_turns: 1,
    total_cost_usd: 0,
    permission_denials: [{ tool_name: "Bash", tool_use_id: "t", tool_input: {} }],
  },
  {
    ...STAMP,
    type: "result",
    subtype: "error_during_execution",
    is_error: true,
    user_message_uuids: [PROMPT_ID],
    errors: ["went wrong"],
    num_turns: 1,
  },
];

/** Lines that a CLI may print in the middle of any turn. */
export const AROUND: readonly Json[] = [
  ...Object.values(OTHER_LINES),
  ...Object.values(SYSTEM_LINES),
  ...FAILURES,
];

const ASKED = {
  can_use_tool: {
    subtype: "can_use_tool",
    tool_name: "Bash",
    input: { command: "ls" },
    tool_use_id: "toolu_1",
    permission_suggestions: [
      {
        type: "addRules",
        rules: [{ toolName: "Bash", ruleContent: "ls" }],
        behavior: "allow",
        destination: "localSettings",
      },
    ],
    blocked_path: "/x",
    decision_reason: "r",
    agent_id: "a",
  },
  hook_callback: {
    subtype: "hook_callback",
    callback_id: "hook_0",
    tool_use_id: "toolu_1",
    input: { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } },
  },
  mcp_message: {
    subtype: "mcp_message",
    server_name: "here",
    message: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "echo", arguments: { text: "a" } },
    },
  },
  elicitation: {
    subtype: "elicitation",
    mcp_server_name: "m",
    message: "who?",
    mode: "form",
    requested_schema: { type: "object" },
    url: "http://127.0.0.1/",
    elicitation_id: "e",
  },
  request_user_dialog: {
    subtype: "request_user_dialog",
    dialog_kind: "k",
    payload: { a: 1 },
    tool_use_id: "t",
  },
  brand_new: { subtype: "brand_new", field: 1 },
} satisfies Record<string, Json>;

export type Asked = Exclude<CliRequest["subtype"], never>;

/** Each request that the CLI may send to the host. */
export const REQUESTS: readonly Json[] = Object.values(ASKED);
