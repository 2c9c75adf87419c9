export { checkConfig } from "./check-config.js";
export { closestKey } from "./closest-key.js";
export { CONFIG_SCHEMA, isTenantName } from "./config-schema.js";
export { defineConfig } from "./define-config.js";
export type {
  AgentConfig,
  FleetConfig,
  GatewayConfig,
  ListenConfig,
  PoolConfig,
  TenantConfig,
} from "./gateway-config.js";
export { CONFIG_FILES, findConfig, type LoadedConfig, loadConfig } from "./load-config.js";
