import { mkdirSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { HawserError } from "../../base/index.js";
import { atHostExit } from "../end/at-host-exit.js";
import { removeOwnFolder, removeOwnFolderSync } from "./remove-folder.js";
import { temporaryPath } from "./temporary-path.js";

/** A folder for temporary files. It is removed at the latest when this program ends, in any way. */
export class TemporaryFolder {
  /** With links resolved, as the CLI reports its folders. */
  readonly path: string;
  readonly #release: () => void;

  /** Makes the folder. Throws `spawn_failed` if it cannot be made. */
  constructor(mode: number) {
    try {
      const given = temporaryPath();
      this.path = join(realpathSync(dirname(given)), basename(given));
    } catch (cause) {
      throw temporaryError(cause);
    }
    // Before the folder is made: a signal that comes in between would leave it behind. For the same
    // reason it is made synchronously.
    this.#release = atHostExit(() => removeOwnFolderSync(this.path));
    try {
      mkdirSync(this.path, { mode });
    } catch (cause) {
      this.#release();
      throw temporaryError(cause);
    }
  }

  async remove(): Promise<void> {
    await removeOwnFolder(this.path);
    this.#release();
  }
}

/** The error for temporary files that cannot be written. */
export function temporaryError(cause: unknown): HawserError {
  const message = `A temporary folder cannot be written: ${(cause as Error).message}`;
  const hint = "Make the folder for temporary files writable, or set TMPDIR to a writable folder.";
  return new HawserError("spawn_failed", message, { cause, hint });
}
