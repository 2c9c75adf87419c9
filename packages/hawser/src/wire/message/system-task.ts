import type { Open, Stamped } from "../open.js";

interface TaskLine extends Stamped {
  readonly type: "system";
  readonly task_id: string;
  readonly tool_use_id?: string;
}

/** A sub-agent, or a shell: any Bash call of more than about 3 s is announced too. */
export interface SystemTaskStarted extends TaskLine {
  readonly subtype: "task_started";
  readonly task_type?: TaskType;
  readonly description: string;
  readonly subagent_type?: string;
  readonly workflow_name?: string;
  readonly prompt?: string;
  readonly is_backgrounded?: boolean;
  readonly spawn_depth?: number;
  readonly skip_transcript?: boolean;
}

export interface SystemTaskProgress extends TaskLine {
  readonly subtype: "task_progress";
  readonly description: string;
  readonly subagent_type?: string;
  readonly usage: TaskUsage;
  readonly last_tool_name?: string;
  readonly summary?: string;
}

export interface SystemTaskUpdated extends TaskLine {
  readonly subtype: "task_updated";
  /** Only the fields that changed. */
  readonly patch: {
    readonly status?: TaskStatus;
    readonly description?: string;
    readonly end_time?: number;
    readonly total_paused_ms?: number;
    readonly error?: string;
    readonly is_backgrounded?: boolean;
  };
}

/** The end of a task; it may start a turn that no prompt asked for. */
export interface SystemTaskNotification extends TaskLine {
  readonly subtype: "task_notification";
  readonly status: TaskStatus;
  readonly summary: string;
  readonly output_file: string;
  readonly usage?: TaskUsage;
  readonly skip_transcript?: boolean;
}

/** Every background task that lives, not only the new ones. */
export interface SystemBackgroundTasksChanged extends Stamped {
  readonly type: "system";
  readonly subtype: "background_tasks_changed";
  readonly tasks: readonly {
    readonly task_id: string;
    readonly task_type: TaskType;
    readonly description: string;
    readonly ambient?: boolean;
  }[];
}

export type TaskType = Open<"local_agent" | "local_bash" | "remote_agent">;

export type TaskStatus = Open<
  "pending" | "running" | "completed" | "failed" | "stopped" | "killed" | "paused"
>;

export interface TaskUsage {
  readonly total_tokens: number;
  readonly tool_uses: number;
  readonly duration_ms: number;
}
