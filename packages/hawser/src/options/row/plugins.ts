import { addFlag, awaitInitialize, type Draft, isSince, mayUse } from "../draft.js";
import type { PluginConfig } from "../shape/plugin.js";

/** A flag for each plugin, or all of them by the initialize request. */
export function applyPlugins(draft: Draft, plugins: readonly PluginConfig[]): void {
  if (byInitialize(draft)) {
    awaitInitialize(draft, "plugins");
    draft.initialize.plugins = plugins.map(({ path, skipMcpDiscovery }) => ({
      type: "local",
      path,
      ...(skipMcpDiscovery === true ? { skipMcpDiscovery } : {}),
    }));
    return;
  }
  for (const { path, skipMcpDiscovery } of plugins) {
    const quiet =
      skipMcpDiscovery === true && mayUse(draft, "plugins.skipMcpDiscovery", SINCE_NO_MCP);
    addFlag(draft, "plugins", quiet ? "--plugin-dir-no-mcp" : "--plugin-dir", path);
  }
}

function byInitialize({ cli, compact, options }: Draft): boolean {
  return options.pluginDelivery === "initialize" || (compact && isSince(cli, SINCE_INITIALIZE));
}

const SINCE_NO_MCP = "2.1.172";
const SINCE_INITIALIZE = "2.1.261";
