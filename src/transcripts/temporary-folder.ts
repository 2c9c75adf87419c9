import { rmSync } from "node:fs";
import { mkdir, realpath, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { atHostExit, temporaryPath } from "../process/index.js";

/** A folder that only its owner may read. It goes with this program at the latest. */
export class TemporaryFolder {
  readonly path: string;
  /** Ours, also if the one inside is given to another user: so it is known again. */
  readonly #outer: string;
  readonly #release: () => void;

  private constructor(outer: string) {
    this.path = join(outer, "config");
    this.#outer = outer;
    this.#release = atHostExit(() => rmSync(outer, { recursive: true, force: true }));
  }

  static async create(): Promise<TemporaryFolder> {
    const given = temporaryPath();
    const folder = new TemporaryFolder(join(await realpath(dirname(given)), basename(given)));
    await mkdir(folder.#outer, { mode: 0o711 });
    await mkdir(folder.path, { mode: 0o700 });
    return folder;
  }

  /** Again and again for a while: a CLI that is ending may still write into it. */
  async remove(): Promise<void> {
    await rm(this.#outer, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    this.#release();
  }
}
