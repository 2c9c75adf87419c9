import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Removes a folder that a process may still be writing to: it can add files while we delete, or make
 * the folder again just after.
 */
export async function removeFolder(path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
      if (!existsSync(path)) return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
    if (attempt === ATTEMPTS) throw new Error(`${path} is made again each time it is removed`);
    await sleep(20 * attempt);
  }
}

/** In all about four seconds: a CLI that was told to stop needs up to two. */
const ATTEMPTS = 20;
