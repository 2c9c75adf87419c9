import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { type Environment, HawserError } from "../base/index.js";

/**
 * The home folder of a program with this environment. Undefined for a user that has no HOME and no
 * entry in the system's list of users, as in a container that runs under any number: Node throws then.
 */
export function homeFolder(env: Environment = process.env): string | undefined {
  if (env["HOME"]) return env["HOME"];
  try {
    // `homedir()` would read HOME of this program, which need not be in `env`.
    return (process.platform === "win32" ? homedir() : userInfo().homedir) || undefined;
  } catch {
    return undefined;
  }
}

/** The folder where a CLI with this environment keeps its login, settings and sessions. */
export function configFolder(env: Environment = process.env): string {
  return configFolderIfAny(env) ?? failForHome();
}

/** Undefined if neither it nor the home folder is known. */
export function configFolderIfAny(env: Environment = process.env): string | undefined {
  if (env["CLAUDE_CONFIG_DIR"]) return env["CLAUDE_CONFIG_DIR"];
  const home = homeFolder(env);
  return home === undefined ? undefined : join(home, ".claude");
}

function failForHome(): never {
  const message = `The home folder is not known: HOME is not set, and the system has no entry for the user ${process.getuid?.()}.`;
  throw new HawserError("invalid_options", message, {
    hint: "Set HOME or CLAUDE_CONFIG_DIR, or give `configDir`.",
    issues: [{ path: "configDir", message }],
  });
}
