import { join } from "node:path";
import { configFolderIfAny, stateFile } from "../../process/index.js";
import type { Scene } from "./finding.js";

/** The CLI's own state; undefined without a home folder. The CLI does not start when it is broken. */
export function globalFile({ env, cwd }: Scene): string | undefined {
  return stateFile(env, cwd);
}

/** Files that the CLI passes over in silence when they are broken. */
export function settingsFiles({ env, cwd }: Scene): string[] {
  const project = join(cwd, ".claude");
  const config = configFolderIfAny(env, cwd);
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
