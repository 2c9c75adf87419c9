import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { win32 } from "node:path";

/** What is at a path where a CLI might be. */
export type Candidate =
  | { readonly state: "usable"; readonly path: string; readonly script: boolean }
  | { readonly state: "missing" }
  | { readonly state: "unusable"; readonly reason: UnusableReason }
  /**
   * The file could be run, but hawser does not run files from this place unless the caller names
   * it.
   */
  | { readonly state: "refused"; readonly reason: RefusedReason };

/** Why the file cannot be run. */
export type UnusableReason =
  | { readonly code: "stat_failed"; readonly errno: string }
  | { readonly code: "directory" }
  | { readonly code: "not_regular_file" }
  | { readonly code: "not_executable" }
  | { readonly code: "npm_stub" }
  | { readonly code: "unknown_shim_target" };

/** Why hawser does not run the file unless the caller names it. */
export type RefusedReason =
  | { readonly code: "cwd_node_modules" }
  | { readonly code: "relative_path_entry" }
  | { readonly code: "other_owner"; readonly path: string; readonly uid: number }
  | { readonly code: "writable_by_all"; readonly path: string };

/**
 * Checks a path: it must be an executable file (or a script for Node), and not the npm package's
 * stub.
 */
export function inspectCandidate(path: string): Candidate {
  try {
    return inspectFile(path, statSync(path));
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { state: "missing" };
    return { state: "unusable", reason: { code: "stat_failed", errno: code } };
  }
}

const STUB_BYTES = 4096;
const STUB_TEXT = "native binary not installed";

function inspectFile(path: string, stat: Stats): Candidate {
  if (stat.isDirectory()) return unusable("directory");
  if (!stat.isFile()) return unusable("not_regular_file");
  const script = /\.[cm]?js$/i.test(realpathSync.native(path));
  if (!script && !isExecutable(path)) return unusable("not_executable");
  if (stat.size < STUB_BYTES && readHead(path).includes(STUB_TEXT)) {
    return unusable("npm_stub");
  }
  return { state: "usable", path, script };
}

function unusable(code: Exclude<UnusableReason["code"], "stat_failed">): Candidate {
  return { state: "unusable", reason: { code } };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Node reports "no" as an error.
    return false;
  }
}

function readHead(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const head = Buffer.alloc(STUB_BYTES);
      return head.toString("utf8", 0, readSync(file, head, 0, STUB_BYTES, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    // The file is executable but not readable, so it is not a stub that npm installed.
    return "";
  }
}

/** A reason as the end of a sentence, without its full stop. */
export function describeReason(reason: UnusableReason | RefusedReason): string {
  switch (reason.code) {
    case "stat_failed":
      return `it cannot be inspected: ${reason.errno}`;
    case "directory":
      return "it is a directory";
    case "not_regular_file":
      return "it is not a regular file";
    case "not_executable":
      return "it is not executable by this user";
    case "npm_stub":
      return "it is the npm package's stub: its install script did not run";
    case "unknown_shim_target":
      return "it is a command file whose target is not known";
    case "cwd_node_modules":
      return 'it is in node_modules of the current directory, which is not searched without `cliFrom: "cwd"`';
    case "relative_path_entry":
      return "PATH names its folder relative to the current directory";
    case "other_owner":
      return `${reason.path} belongs to another user (${reason.uid})`;
    case "writable_by_all":
      return `every user can write to ${reason.path}`;
  }
}

/**
 * The file that an npm `.cmd` shim starts. The shim itself is never run, because that needs a
 * shell, which would parse the arguments again.
 */
export function shimTarget(
  shim: string,
  text: string = readFileSync(shim, "utf8"),
): string | undefined {
  const targets = [...text.matchAll(/%(?:~dp0|dp0%)\\?([^"%\r\n]+?\.(?:exe|[cm]?js))"/gi)]
    .map((match) => match[1])
    .filter((target) => target !== undefined && !/(?:^|\\)node\.exe$/i.test(target));
  const target = targets[0];
  return target === undefined ? undefined : win32.join(win32.dirname(shim), target);
}
