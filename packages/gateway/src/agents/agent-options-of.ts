import type { Options } from "hawser";

/**
 * The options of an agent for a tenant. The agent's win, except that the tenant's environment and configuration
 * folder win over the agent's, because the tenant's account pays.
 */
export function agentOptionsOf(tenant: Options, agent: Options): Options {
  return {
    ...tenant,
    ...agent,
    ...(tenant.env === undefined ? {} : { env: { ...agent.env, ...tenant.env } }),
    ...(tenant.configDir === undefined ? {} : { configDir: tenant.configDir }),
  };
}
