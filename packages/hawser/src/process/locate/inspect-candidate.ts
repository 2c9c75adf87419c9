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

/** What stands at a path where a CLI might be. */
export type Candidate =
  | { readonly state: "usable"; readonly path: string; readonly script: boolean }
  | { readonly state: "missing" }
  | { readonly state: "unusable"; readonly reason: string }
  /**
   * The file could be run, but hawser does not run files from this place unless the caller names it.
   */
  | { readonly state: "refused"; readonly reason: string };

/** Looks at one path: a file, executable (or a script for Node), and not the npm package's stub. */
export function inspectCandidate(path: string): Candidate {
  try {
    return inspectFile(path, statSync(path));
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { state: "missing" };
    return unusable(`it cannot be looked at: ${code}`);
  }
}

const STUB_BYTES = 4096;
const STUB_TEXT = "native binary not installed";

function inspectFile(path: string, stat: Stats): Candidate {
  if (stat.isDirectory()) return unusable("it is a directory");
  if (!stat.isFile()) return unusable("it is not a regular file");
  const script = /\.[cm]?js$/i.test(realpathSync(path));
  if (!script && !isExecutable(path)) return unusable("it is not executable by this user");
  if (stat.size < STUB_BYTES && readHead(path).includes(STUB_TEXT)) {
    return unusable("it is the npm package's stub: its install script did not run");
  }
  return { state: "usable", path, script };
}

function unusable(reason: string): Candidate {
  return { state: "unusable", reason };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Thrown is how Node says no.
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
    // Executable yet not readable: then it is no stub of a package that npm installed.
    return "";
  }
}

/**
 * The file that an npm `.cmd` shim starts. A shim is never run: that takes a shell, and a shell
 * reads the arguments again.
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
