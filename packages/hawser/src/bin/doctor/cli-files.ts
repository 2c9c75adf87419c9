import { join } from "node:path";
import type { Environment } from "../../base/index.js";
import { configFolderIfAny, homeFolder } from "../../process/index.js";
import type { CheckContext } from "./finding.js";

/** The CLI's state file; undefined without a home folder. The CLI does not start when it is broken. */
export function stateFile(env: Environment): string | undefined {
  const folder = env["CLAUDE_CONFIG_DIR"] || homeFolder(env);
  return folder === undefined ? undefined : join(folder, ".claude.json");
}

/** The settings files, which the CLI silently ignores when they are broken. */
export function settingsFiles({ env, cwd }: CheckContext): string[] {
  const project = join(cwd, ".claude");
  const config = configFolderIfAny(env);
  return [
    join(MANAGED[process.platform] ?? "/etc/claude-code", "managed-settings.json"),
    ...(config === undefined ? [] : [join(config, "settings.json")]),
    join(project, "settings.json"),
    join(project, "settings.local.json"),
    join(cwd, ".mcp.json"),
  ];
}

const MANAGED: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  win32: "C:\\Program Files\\ClaudeCode",
};
