import type { Open, Stamped } from "../open.js";

interface TaskLine extends Stamped {
  readonly type: "system";
  readonly task_id: string;
  readonly run_id?: string;
  readonly tool_use_id?: string;
}

/** A sub-agent or a shell has started. Any Bash call of more than about 3 s is announced too. */
export interface SystemTaskStarted extends TaskLine {
  readonly subtype: "task_started";
  readonly task_type?: TaskType;
  readonly description: string;
  readonly subagent_type?: string;
  readonly workflow_name?: string;
  readonly prompt?: string;
  readonly is_backgrounded?: boolean;
  readonly spawn_depth?: number;
  readonly parent_task_id?: string;
  readonly skip_transcript?: boolean;
  readonly ambient?: boolean;
}

/** The progress of a task. */
export interface SystemTaskProgress extends TaskLine {
  readonly subtype: "task_progress";
  readonly description: string;
  readonly subagent_type?: string;
  readonly usage: TaskUsage;
  readonly last_tool_name?: string;
  readonly summary?: string;
}

/** The state of a task has changed. */
export interface SystemTaskUpdated extends TaskLine {
  readonly subtype: "task_updated";
  /** Only the fields that changed. */
  readonly patch: {
    readonly status?: Open<"pending" | "running" | "completed" | "failed" | "killed" | "paused">;
    readonly description?: string;
    readonly end_time?: number;
    readonly total_paused_ms?: number;
    readonly error?: string;
    readonly is_backgrounded?: boolean;
  };
}

/** The end of a task. The CLI may then start a turn that no prompt asked for. */
export interface SystemTaskNotification extends TaskLine {
  readonly subtype: "task_notification";
  readonly status: TaskStatus;
  readonly summary: string;
  readonly output_file: string;
  readonly usage?: TaskUsage;
  readonly reason?: Open<"worker_restart">;
  readonly resource_links?: SDKMcpResourceLink[];
  readonly skip_transcript?: boolean;
  readonly ambient?: boolean;
}

/** The list of all live background tasks, not only the new ones. */
export interface SystemBackgroundTasksChanged extends Stamped {
  readonly type: "system";
  readonly subtype: "background_tasks_changed";
  readonly tasks: readonly {
    readonly task_id: string;
    readonly run_id?: string;
    readonly task_type: TaskType;
    readonly subagent_type?: string;
    readonly description: string;
    readonly parent_task_id?: string;
    readonly ambient?: boolean;
  }[];
}

/** The kind of a task. */
export type TaskType = Open<"local_agent" | "local_bash" | "remote_agent">;

/** The state of a task. */
export type TaskStatus = Open<
  "pending" | "running" | "completed" | "failed" | "stopped" | "killed" | "paused"
>;

/** What a task has used so far. */
export type TaskUsage = { total_tokens: number; tool_uses: number; duration_ms: number };

/** A resource of an MCP server that a task refers to. */
export type SDKMcpResourceLink = {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  annotations?: Record<string, unknown>;
};
