/** What every hook is told; the rest depends on the event. */
export type BaseHookInput = {
  session_id: string;
  transcript_path: string;
  cwd: string;
  /** The same for all that follows one prompt; absent before the first. */
  prompt_id?: string;
  permission_mode?: string;
  /** The sub-agent the event comes from; absent in the main thread. */
  agent_id?: string;
  agent_type?: string;
  /** Only inside a turn, and only for models that have levels. */
  effort?: { level: string };
};
