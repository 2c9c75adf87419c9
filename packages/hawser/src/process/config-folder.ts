import { homedir, userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { type Environment, HawserError } from "../base/index.js";
import { currentFolderIfAny } from "./host-folders.js";

/**
 * The folder where a CLI with this environment, started in `cwd`, keeps its login, settings and sessions.
 *
 * Observed on 2.1.197 and 2.1.325: CLAUDE_CONFIG_DIR is taken as it is if it is set. A relative value,
 * and so the empty string too, counts from the working directory of the CLI. Without the variable the
 * folder is `.claude` in the home folder.
 */
export function configFolder(env: Environment = process.env, cwd?: string): string {
  return configFolderIfAny(env, cwd) ?? failForHome();
}

/** As `configFolder()`, but undefined if the variable is not set and the home folder is not known. */
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
 * The file where a CLI with this environment keeps its own state. Unlike the configuration folder, it is
 * in the home folder if CLAUDE_CONFIG_DIR is empty (observed on 2.1.197 and 2.1.325). Undefined if the
 * home folder is needed and is not known.
 */
export function stateFile(env: Environment = process.env, cwd?: string): string | undefined {
  const folder = env["CLAUDE_CONFIG_DIR"] || homeFolder(env);
  return folder === undefined ? undefined : fromFolder(cwd, join(folder, ".claude.json"));
}

/**
 * The home folder of a program with this environment. A HOME that is empty counts as not set, as it does
 * for the CLI. Undefined for a user that has no HOME and no entry in the system's list of users, as in a
 * container that runs under any number: Node throws then.
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
  // A path that is absolute stays as it was written, so that messages show the caller's own words.
  return isAbsolute(path) ? path : resolve(currentFolderIfAny() ?? "/", cwd ?? ".", path);
}

function failForHome(): never {
  const message = `The home folder is unknown: HOME is not set, and the system has no entry for the user ${process.getuid?.()}.`;
  throw new HawserError("invalid_options", message, {
    hint: "Set HOME, CLAUDE_CONFIG_DIR or `configDir`.",
    issues: [{ path: "configDir", message }],
  });
}
