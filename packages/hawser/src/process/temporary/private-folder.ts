import { chown, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { PrivateFile } from "../../options/index.js";
import { atHostExit } from "../end/at-host-exit.js";
import type { User } from "../prepare/resolve-user.js";
import { removeOwnFolderSync } from "./remove-folder.js";
import { temporaryError } from "./temporary-folder.js";

/** The private folder of one process, with files for values that must not be in its arguments. */
export class PrivateFolder {
  readonly #files: readonly PrivateFile[];
  readonly #path: string | undefined;
  #release: () => void = () => {};

  constructor(files: readonly PrivateFile[]) {
    this.#files = files;
    this.#path = files[0] === undefined ? undefined : dirname(files[0].path);
  }

  /** Writes all files, or none: a failure leaves nothing behind. */
  async write(owner: User | undefined): Promise<void> {
    if (this.#path === undefined) return;
    this.#release = atHostExit(() => this.removeSync());
    try {
      // Another user may open the files by their names; the folder stays ours, so that it can be
      // removed without following what that user might put in its place.
      await mkdir(this.#path, { mode: owner === undefined ? 0o700 : 0o711 });
      for (const { path, contents } of this.#files) {
        await writeFile(path, contents, { mode: 0o600, flag: "wx" });
        if (owner !== undefined) await chown(path, owner.uid, owner.gid);
      }
    } catch (cause) {
      // A folder that cannot be written may be impossible to remove too. The first failure is
      // reported.
      await this.remove().catch(() => {});
      throw temporaryError(cause);
    }
  }

  /** Call it when the CLI has answered initialize: by then the CLI has read most files. */
  async removeRead(): Promise<void> {
    const read = this.#files.filter(({ keepUntil }) => keepUntil === "initialized");
    if (read.length === this.#files.length) return this.remove();
    await Promise.all(read.map(({ path }) => rm(path, { force: true })));
  }

  async remove(): Promise<void> {
    this.#release();
    if (this.#path !== undefined) await rm(this.#path, { recursive: true, force: true });
  }

  removeSync(): void {
    if (this.#path !== undefined) removeOwnFolderSync(this.#path);
  }
}
