import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { TemporaryFolder } from "../../process/index.js";

/** A folder that only its owner may read. It goes with this program at the latest. */
export class SessionFolder {
  readonly path: string;
  /** It stays ours, also if the folder inside is given to another user, so that it can be removed. */
  readonly #outer = new TemporaryFolder(0o711);

  private constructor() {
    this.path = join(this.#outer.path, "config");
  }

  static async create(): Promise<SessionFolder> {
    const folder = new SessionFolder();
    await mkdir(folder.path, { mode: 0o700 });
    return folder;
  }

  remove(): Promise<void> {
    return this.#outer.remove();
  }
}
