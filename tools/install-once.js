import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** How the names of unfinished installations begin. */
export const UNFINISHED = "aside-";

/**
 * Makes an installation, unless it is there already, and returns its folder. It is made beside its place
 * and moved into it when it is complete. So two runs at once cannot disturb each other, and a killed run
 * leaves no lock.
 * @param {string} place where the installation belongs
 * @param {(folder: string) => Promise<unknown>} install fills an empty folder
 * @returns {Promise<string>}
 */
export async function installOnce(place, install) {
  if (existsSync(place)) return place;
  const aside = join(dirname(place), `${UNFINISHED}${basename(place)}-${randomUUID()}`);
  await mkdir(aside, { recursive: true });
  try {
    await install(aside);
    await rename(aside, place).catch((error) => {
      // Another run was faster.
      if (!existsSync(place)) throw error;
    });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  return place;
}
