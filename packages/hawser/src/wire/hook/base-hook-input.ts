/** The fields of every hook input. The other fields depend on the event. */
export type BaseHookInput = {
  session_id: string;
  transcript_path: string;
  cwd: string;
  /** Identifies the prompt that caused the event; absent before the first prompt. */
  prompt_id?: string;
  permission_mode?: string;
  /** The sub-agent that the event comes from; absent in the main thread. */
  agent_id?: string;
  agent_type?: string;
  /** Present only inside a turn and for models that have effort levels. */
  effort?: { level: string };
};
