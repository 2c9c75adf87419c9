import type { UUID } from "node:crypto";

/** Carried by every message of a session. */
export type Stamp = { uuid: UUID; session_id: string };

/** The head of a `system` message. */
export type System<Subtype extends string> = Stamp & { type: "system"; subtype: Subtype };

/** Which prompts a message answers. */
export type Answers = {
  user_message_uuid?: string;
  user_message_uuids?: string[];
  resume_reason?: string;
};

/** Which sub-agent a message comes from. */
export type FromAgent = {
  agent_id?: string;
  subagent_type?: string;
  task_description?: string;
};
