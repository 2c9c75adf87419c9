import { chown, mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { User } from "../process/index.js";

/** Writes a file that only the CLI may read, and the folders above it. */
export type Write = (path: string, contents: string) => Promise<void>;

export function writer(owner: User | undefined): Write {
  return async (path, contents) => {
    const first = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    for (
      let at = dirname(path);
      first !== undefined && at.length >= first.length;
      at = dirname(at)
    ) {
      await own(at, owner);
    }
    await writeFile(path, contents, { mode: 0o600 });
    await own(path, owner);
  };
}

/** Gives a file or folder to a user. */
export async function own(path: string, owner: User | undefined): Promise<void> {
  if (owner !== undefined) await chown(path, owner.uid, owner.gid);
}
