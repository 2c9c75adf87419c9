import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Environment } from "../../base/index.js";
import { configFolderIfAny, homeFolder, temporaryRoot } from "../../process/index.js";
import { type Check, type Finding, ok, problem, warning } from "./finding.js";

/** Whether the CLI and hawser can write where they have to. */
export const checkFolders: Check = ({ env, cwd }) => {
  const config = configFolderIfAny(env, cwd);
  const temporary = temporaryRoot();
  const folders = [temporary, ...(config === undefined ? [] : [config])];
  return [
    ...home(env),
    ...(config === undefined ? [] : [configFinding(config)]),
    temporaryFinding(temporary),
    ...[...new Set(folders.map(existing))].flatMap(space),
    ...openFiles(),
  ];
};

function home(env: Environment): Finding[] {
  if (env["HOME"] || process.platform === "win32") return [];
  const folder = homeFolder(env);
  if (folder === undefined && configFolderIfAny(env) === undefined) {
    const message = "HOME is not set, and the system has no home folder for this user.";
    return [problem("home", "invalid_options", message, "Set HOME or CLAUDE_CONFIG_DIR.")];
  }
  const taken = folder === undefined ? "the CLI has no home folder" : `${folder} is used instead`;
  const remedy = "Set HOME, so that all programs use the same folder.";
  return [warning("home", `HOME is not set: ${taken}.`, remedy)];
}

function configFinding(path: string): Finding {
  const why = unwritable(path);
  if (why === undefined) return ok("config-folder", path);
  return problem(
    "config-folder",
    "session_not_found",
    `${path} ${why}, so sessions and logins cannot be kept there.`,
    "Make it a folder that this user can write to, or set CLAUDE_CONFIG_DIR to one.",
  );
}

function temporaryFinding(path: string): Finding {
  const why = unwritable(path);
  if (why === undefined && existsSync(path)) return ok("temporary-folder", path);
  return problem(
    "temporary-folder",
    "spawn_failed",
    `${path} ${why ?? "does not exist"}, but hawser needs it for files with values that must not be arguments of the CLI.`,
    "Make it a folder that this user can write to, or set TMPDIR to one.",
  );
}

/** Why the folder cannot be written; a missing folder counts as writable if it can be created. */
function unwritable(path: string): string | undefined {
  const nearest = existing(path);
  try {
    if (!statSync(nearest).isDirectory()) {
      return nearest === path ? "is not a folder" : `cannot be created: ${nearest} is not a folder`;
    }
    accessSync(nearest, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return nearest === path ? `cannot be written (${code})` : `cannot be created (${code})`;
  }
}

/** The path itself, or the nearest folder above it that exists. */
function existing(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existing(dirname(path));
}

function space(path: string): Finding[] {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(path);
    const free = Math.floor((bavail * bsize) / MIB);
    // Some file systems do not count files.
    const isOut = files > 0 && ffree === 0;
    if (free >= LEAST_MIB && !isOut) return [];
    const left = isOut ? "no room for another file" : `only ${free} MiB free`;
    return [
      warning("disk", `The disk of ${path} has ${left}.`, "Free some space.", "spawn_failed"),
    ];
  } catch {
    // The checks of the folders report an unusable path.
    return [];
  }
}

const MIB = 1024 * 1024;
const LEAST_MIB = 64;

function openFiles(): Finding[] {
  const limit = /^Max open files\s+(\d+)/m.exec(limits())?.[1];
  if (limit === undefined || Number(limit) >= LEAST_FILES) return [];
  const message = `A process may open only ${limit} files, and a pool needs several for each worker.`;
  return [warning("open-files", message, "Raise the limit with `ulimit -n`.", "spawn_failed")];
}

const LEAST_FILES = 256;

function limits(): string {
  try {
    return readFileSync("/proc/self/limits", "latin1");
  } catch {
    // Only Linux has this file.
    return "";
  }
}
