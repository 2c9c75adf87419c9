import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { TemporaryFolder } from "../../process/index.js";

/**
 * A configuration folder that only its owner may read. It is removed when this program ends at the
 * latest.
 */
export class TemporaryConfigFolder {
  readonly path: string;
  /**
   * Belongs to this user also if the folder inside is given to another user, so that it can be
   * removed.
   */
  readonly #outer = new TemporaryFolder(0o711);

  private constructor() {
    this.path = join(this.#outer.path, "config");
  }

  static async create(): Promise<TemporaryConfigFolder> {
    const folder = new TemporaryConfigFolder();
    await mkdir(folder.path, { mode: 0o700 });
    return folder;
  }

  remove(): Promise<void> {
    return this.#outer.remove();
  }
}
