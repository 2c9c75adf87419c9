import { rmSync } from "node:fs";
import { mkdir, realpath, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { atHostExit, temporaryPath } from "../process/index.js";

/** A folder that only its owner may read. It goes with this program at the latest. */
export class TemporaryFolder {
  readonly path: string;
  readonly #release: () => void;

  private constructor(path: string) {
    this.path = path;
    this.#release = atHostExit(() => rmSync(path, { recursive: true, force: true }));
  }

  static async create(): Promise<TemporaryFolder> {
    const given = temporaryPath();
    const path = join(await realpath(dirname(given)), basename(given));
    await mkdir(path, { mode: 0o700 });
    return new TemporaryFolder(path);
  }

  /** Again and again for a while: a CLI that is ending may still write into it. */
  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    this.#release();
  }
}
