import type { GatewayConfig } from "./gateway-config.js";

/**
 * Types the configuration in `hawser.config.js` or `.ts`. It returns its argument as it is.
 *
 * @example
 * ```ts
 * import { defineConfig } from "@hawser/gateway";
 *
 * export default defineConfig({
 *   models: { "gpt-5": "sonnet" },
 *   tenants: { alice: { apiKeyEnv: "ALICE_API_KEY", usdPerDay: 5 } },
 * });
 * ```
 */
export function defineConfig(config: GatewayConfig): GatewayConfig {
  return config;
}
