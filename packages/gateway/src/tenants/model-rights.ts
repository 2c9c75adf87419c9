/** The models and agents that a tenant may use. */
export interface ModelRights {
  readonly models?: readonly string[] | undefined;
  readonly agents?: readonly string[] | undefined;
}

/**
 * Whether the rights include a name that a client sent. `target` is what the map of models makes of it. Without
 * lists, everything is included. A list of models alone includes an agent only by its full name, so that a
 * wide pattern gives no tenant tools of this server.
 */
export function includesModel(rights: ModelRights, name: string, target: string): boolean {
  const { models, agents } = rights;
  const isListed = models?.some((pattern) => matches(pattern, name)) ?? true;
  if (!target.startsWith(AGENT)) return isListed;
  if (agents !== undefined) return agents.includes(target.slice(AGENT.length));
  return models === undefined || models.includes(name);
}

const AGENT = "agent:";

/** A star at the end stands for any rest. */
function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
