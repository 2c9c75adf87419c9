import { addFlag, awaitInitialize, type Draft } from "../invocation/draft.js";
import { isSinceOrUnknown, mayUse } from "../invocation/version-gate.js";
import type { PluginConfig } from "../options.js";

/** Sends a flag for each plugin, or all plugins in the initialize request. */
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
  return (
    options.pluginDelivery === "initialize" || (compact && isSinceOrUnknown(cli, SINCE_INITIALIZE))
  );
}

const SINCE_NO_MCP = "2.1.172";
const SINCE_INITIALIZE = "2.1.261";
