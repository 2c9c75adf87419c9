/** The models and agents that a tenant may use. */
export interface ModelRights {
  readonly models?: readonly string[] | undefined;
  readonly agents?: readonly string[] | undefined;
}

/**
 * Whether the rights include a name that a client sent. Without lists, everything is included. A list of models
 * alone includes no agent, so that nobody gets tools on this server by an oversight.
 */
export function includesModel({ models, agents }: ModelRights, name: string): boolean {
  if (!name.startsWith(AGENT)) {
    return models === undefined || models.some((pattern) => matches(pattern, name));
  }
  if (agents !== undefined) return agents.includes(name.slice(AGENT.length));
  return models === undefined || models.some((pattern) => pattern === name);
}

const AGENT = "agent:";

/** A star at the end stands for any rest. It does not reach agents. */
function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
