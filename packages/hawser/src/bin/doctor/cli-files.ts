import { join } from "node:path";
import { configFolderIfAny, stateFile } from "../../process/index.js";
import type { CheckContext } from "./finding.js";

/** The CLI's state file; undefined without a home folder. The CLI does not start if the file is broken. */
export function stateFileOf({ env, cwd }: CheckContext): string | undefined {
  return stateFile(env, cwd);
}

/** The settings files. The CLI silently ignores a broken one. */
export function settingsFiles({ env, cwd }: CheckContext): string[] {
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
