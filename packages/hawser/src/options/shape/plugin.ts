/** A plugin in a local folder. */
export interface PluginConfig {
  type: "local";
  path: string;
  /** Leaves the plugin's MCP servers out. */
  skipMcpDiscovery?: boolean;
}
