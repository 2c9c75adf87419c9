/** The fields of every hook input; the others depend on the event. */
export type BaseHookInput = {
  session_id: string;
  transcript_path: string;
  cwd: string;
  /** Identifies the prompt that caused the event; absent before the first prompt. */
  prompt_id?: string;
  permission_mode?: string;
  /** The sub-agent the event comes from; absent in the main thread. */
  agent_id?: string;
  agent_type?: string;
  /** Only inside a turn, and only for models that have levels. */
  effort?: { level: string };
};
