import type { Options } from "hawser";
import type { AgentDefinition } from "./agent-definition.js";

/** The options of the CLI in the definition of an agent, without what only the gateway reads. */
export function agentCliOptions(definition: Options & AgentNotes): Options {
  const { description: _, runOn: __, profile: ___, queue: ____, ...options } = definition;
  return options;
}

/** What only the gateway reads of the definition of an agent. */
export type AgentNotes = Pick<AgentDefinition, "description" | "runOn" | "profile" | "queue">;
