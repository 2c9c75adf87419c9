import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { HawserError } from "../base/index.js";

/** The current directory of this program. */
export function currentFolder(): string {
  const folder = currentFolderIfAny();
  if (folder !== undefined) return folder;
  throw new HawserError(
    "cwd_not_found",
    "The current directory of this program has been deleted.",
    { hint: "Set `cwd`, or change to an existing directory with process.chdir()." },
  );
}

/** The current directory; undefined if it has been deleted, in which case Node throws. */
export function currentFolderIfAny(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** The folder for temporary files, as an absolute path. */
export function temporaryRoot(): string {
  const folder = tmpdir();
  // A relative TMPDIR needs the current directory, which may have been deleted.
  return resolve(currentFolderIfAny() ?? "/", folder);
}
