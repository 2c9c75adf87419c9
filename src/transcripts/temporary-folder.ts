import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { TemporaryFolder as OwnFolder } from "../process/index.js";

/** A folder that only its owner may read. It goes with this program at the latest. */
export class TemporaryFolder {
  readonly path: string;
  /** It stays ours, also if the folder inside is given to another user, so that it can be removed. */
  readonly #outer = new OwnFolder(0o711);

  private constructor() {
    this.path = join(this.#outer.path, "config");
  }

  static async create(): Promise<TemporaryFolder> {
    const folder = new TemporaryFolder();
    await mkdir(folder.path, { mode: 0o700 });
    return folder;
  }

  remove(): Promise<void> {
    return this.#outer.remove();
  }
}
