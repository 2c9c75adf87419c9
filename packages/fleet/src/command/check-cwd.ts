import { statSync } from "node:fs";
import { HawserError } from "hawser";

/** Refuses a folder of `--cwd` that does not exist, before a run or a database is touched. */
export function checkCwd(cwd: string | undefined): void {
  if (cwd === undefined || statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new HawserError("cwd_not_found", `The folder ${cwd} of --cwd does not exist.`, {
    hint: "Create the folder, or correct --cwd.",
  });
}
