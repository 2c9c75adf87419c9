import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../errors/index.js";
import type { Scene } from "./finding.js";

/** Where the CLI keeps logins, settings and sessions. */
export function configFolder(env: Environment): string {
  return env["CLAUDE_CONFIG_DIR"] || join(env["HOME"] || homedir(), ".claude");
}

/** The CLI's own state. It does not start when this one is broken. */
export function globalFile(env: Environment): string {
  const folder = env["CLAUDE_CONFIG_DIR"] || env["HOME"] || homedir();
  return join(folder, ".claude.json");
}

/** Files that the CLI passes over in silence when they are broken. */
export function settingsFiles({ env, cwd }: Scene): string[] {
  const project = join(cwd, ".claude");
  return [
    join(MANAGED[process.platform] ?? "/etc/claude-code", "managed-settings.json"),
    join(configFolder(env), "settings.json"),
    join(project, "settings.json"),
    join(project, "settings.local.json"),
    join(cwd, ".mcp.json"),
  ];
}

const MANAGED: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  win32: "C:\\Program Files\\ClaudeCode",
};
