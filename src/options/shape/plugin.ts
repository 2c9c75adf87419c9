/** A plugin in a local folder. */
export interface PluginConfig {
  readonly type: "local";
  readonly path: string;
  /** Leaves the plugin's MCP servers out. */
  readonly skipMcpDiscovery?: boolean;
}
