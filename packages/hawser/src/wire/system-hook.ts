import type { Open, Stamped } from "./open.js";

/** Lines about command hooks of settings files; callback hooks never have any. */
interface HookLine extends Stamped {
  readonly type: "system";
  readonly hook_id: string;
  readonly hook_name: string;
  readonly hook_event: string;
}

export interface SystemHookStarted extends HookLine {
  readonly subtype: "hook_started";
}

export interface SystemHookProgress extends HookLine {
  readonly subtype: "hook_progress";
  readonly stdout: string;
  readonly stderr: string;
  readonly output: string;
}

export interface SystemHookResponse extends HookLine {
  readonly subtype: "hook_response";
  readonly stdout: string;
  readonly stderr: string;
  readonly output: string;
  readonly exit_code?: number;
  readonly outcome: Open<"success" | "error" | "cancelled">;
}
