import { rmSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that only its owner may read. It goes with this program at the latest. */
export class TemporaryFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
    if (folders.size === 0) process.on("exit", removeAll);
    folders.add(path);
  }

  static async create(prefix: string): Promise<TemporaryFolder> {
    return new TemporaryFolder(await mkdtemp(join(await realpath(tmpdir()), prefix)));
  }

  /** Again and again for a while: a CLI that is ending may still write into it. */
  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    if (folders.delete(this.path) && folders.size === 0) process.off("exit", removeAll);
  }
}

/** One listener for all of them, so that many sessions do not look like a leak of listeners. */
const folders = new Set<string>();

function removeAll(): void {
  for (const path of folders) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // The next one may be removable; nobody is left to be told.
    }
  }
}
