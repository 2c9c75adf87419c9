import type { System } from "./stamp.js";

type Task = {
  task_id: string;
  run_id?: string;
  tool_use_id?: string;
};

type TaskUsage = { total_tokens: number; tool_uses: number; duration_ms: number };

/** A sub-agent, or a shell that runs for more than some seconds. */
export type SDKTaskStartedMessage = System<"task_started"> &
  Task & {
    description: string;
    subagent_type?: string;
    is_backgrounded?: boolean;
    spawn_depth?: number;
    parent_task_id?: string;
    task_type?: string;
    workflow_name?: string;
    prompt?: string;
    skip_transcript?: boolean;
    ambient?: boolean;
  };

export type SDKTaskProgressMessage = System<"task_progress"> &
  Task & {
    description: string;
    subagent_type?: string;
    usage: TaskUsage;
    last_tool_name?: string;
    summary?: string;
  };

export type SDKTaskUpdatedMessage = System<"task_updated"> & {
  task_id: string;
  run_id?: string;
  /** Only the fields that changed. */
  patch: {
    status?: "pending" | "running" | "completed" | "failed" | "killed" | "paused";
    description?: string;
    end_time?: number;
    total_paused_ms?: number;
    error?: string;
    is_backgrounded?: boolean;
  };
};

/** The end of a task; it may start a turn that no prompt asked for. */
export type SDKTaskNotificationMessage = System<"task_notification"> &
  Task & {
    status: "completed" | "failed" | "stopped";
    reason?: "worker_restart";
    output_file: string;
    summary: string;
    usage?: TaskUsage;
    resource_links?: SDKMcpResourceLink[];
    skip_transcript?: boolean;
    ambient?: boolean;
  };

export type SDKMcpResourceLink = {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  annotations?: Record<string, unknown>;
};

/** Every background task that lives, not only the new ones. */
export type SDKBackgroundTasksChangedMessage = System<"background_tasks_changed"> & {
  tasks: {
    task_id: string;
    run_id?: string;
    task_type: string;
    subagent_type?: string;
    description: string;
    parent_task_id?: string;
    ambient?: boolean;
  }[];
};
