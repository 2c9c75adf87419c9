import { existsSync, statSync } from "node:fs";
import { HawserError } from "../../base/index.js";
import type { Options } from "../../options/index.js";
import { currentFolder } from "../host-folders.js";

/**
 * Throws `cwd_not_found` for a missing working directory, because Node would report a missing
 * executable. Without `cwd` it is the current directory of this program, which may have been
 * deleted.
 */
export function checkCwd(cwd: string | undefined): void {
  if (cwd === undefined ? currentFolder() : isDirectory(cwd)) return;
  throw new HawserError("cwd_not_found", cwdProblem(cwd));
}

/** Throws for a missing plugin folder, because the CLI ignores it without a message. */
export function checkPlugins(plugins: Options["plugins"]): void {
  for (const [i, { path }] of (plugins ?? []).entries()) {
    if (isDirectory(path)) continue;
    const message = `The plugin folder ${path} does not exist.`;
    throw new HawserError("invalid_options", message, {
      hint: "Correct the path, or leave the plugin out.",
      issues: [{ path: `plugins[${i}].path`, message }],
    });
  }
}

/** The sentence for a working directory that cannot be used. */
export function cwdProblem(cwd: string | undefined): string {
  const isThere = cwd !== undefined && existsSync(cwd);
  return `The working directory ${cwd} ${isThere ? "is not a directory" : "does not exist"}.`;
}

/**
 * Synchronous, because under load the libuv thread pool queue costs more than the `stat` itself.
 */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Missing, or hidden from this user: no directory either way.
    return false;
  }
}
