import { homedir, userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { type Environment, HawserError } from "../base/index.js";
import { currentFolderIfAny } from "./host-folders.js";

/**
 * The folder where a CLI with this environment, started in `cwd`, keeps its login, settings and
 * sessions.
 *
 * Observed on 2.1.197 and 2.1.325: CLAUDE_CONFIG_DIR is used unchanged if it is set. A relative
 * value, and so the empty string too, is relative to the working directory of the CLI. Without the
 * variable the folder is `.claude` in the home folder.
 */
export function configFolder(env: Environment = process.env, cwd?: string): string {
  return configFolderIfAny(env, cwd) ?? failForHome();
}

/**
 * Like `configFolder()`, but undefined if the variable is not set and the home folder is unknown.
 */
export function configFolderIfAny(
  env: Environment = process.env,
  cwd?: string,
): string | undefined {
  const given = env["CLAUDE_CONFIG_DIR"];
  if (given !== undefined) return fromFolder(cwd, given);
  const home = homeFolder(env);
  return home === undefined ? undefined : fromFolder(cwd, join(home, ".claude"));
}

/**
 * The file where a CLI with this environment keeps its own state. Unlike the configuration folder,
 * it is in the home folder if CLAUDE_CONFIG_DIR is empty (observed on 2.1.197 and 2.1.325).
 * Undefined if the home folder is needed and unknown.
 */
export function stateFile(env: Environment = process.env, cwd?: string): string | undefined {
  const folder = env["CLAUDE_CONFIG_DIR"] || homeFolder(env);
  return folder === undefined ? undefined : fromFolder(cwd, join(folder, ".claude.json"));
}

/**
 * The home folder of a program with this environment. An empty HOME counts as not set, as it does
 * for the CLI. Undefined for a user without HOME and without an entry in the system's list of
 * users, as in a container that runs under any number. In that case Node throws.
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

function fromFolder(cwd: string | undefined, path: string): string {
  // An absolute path stays unchanged, so that messages show what the caller wrote.
  return isAbsolute(path) ? path : resolve(currentFolderIfAny() ?? "/", cwd ?? ".", path);
}

function failForHome(): never {
  const message = `The home folder is unknown: HOME is not set, and the system has no entry for the user ${process.getuid?.()}.`;
  throw new HawserError("invalid_options", message, {
    hint: "Set HOME, CLAUDE_CONFIG_DIR or `configDir`.",
    issues: [{ path: "configDir", message }],
  });
}
