import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { installOnce, UNFINISHED } from "../../../../tools/install-once.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the CLIs of `test/clis` are installed, or why they are not. */
    readonly clis: { readonly folder: string } | { readonly missing: string };
  }
}

const FOLDER = fileURLToPath(new URL("../clis", import.meta.url));

/**
 * Vitest runs this once before all test files. The failure is told by the tests that need one of the
 * CLIs, so that all other tests run on a machine without a network.
 */
export async function setup({ provide }: TestProject): Promise<void> {
  try {
    provide("clis", { folder: await installClis(FOLDER, npmCi) });
  } catch (error) {
    provide("clis", { missing: `test/clis could not be installed by "npm ci": ${error}` });
  }
}

/**
 * Installs what the lock file in this folder names, unless it is installed already, and gives the
 * folder of the installation, which is named after the lock file.
 */
export async function installClis(
  folder: string,
  install: (folder: string) => Promise<void>,
): Promise<string> {
  const lock = await readFile(join(folder, "package-lock.json"));
  const name = createHash("sha256").update(lock).digest("hex").slice(0, 16);
  const all = join(folder, "node_modules");
  if (existsSync(join(all, name))) return join(all, name);
  const place = await installOnce(join(all, name), async (aside) => {
    for (const file of ["package.json", "package-lock.json"]) {
      await copyFile(join(folder, file), join(aside, file));
    }
    await install(aside);
  });
  await removeOthers(all, name);
  return place;
}

/** Installations of earlier lock files; not those that other runs are just making. */
async function removeOthers(all: string, name: string): Promise<void> {
  const others = (await readdir(all)).filter((it) => it !== name && !it.startsWith(UNFINISHED));
  for (const other of others) await rm(join(all, other), { recursive: true, force: true });
}

async function npmCi(folder: string): Promise<void> {
  console.log("Installing earlier versions of the CLI into test/clis, once ...");
  // No install script is needed: the tests start the CLI's own file.
  const flags = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  await promisify(execFile)("npm", flags, { cwd: folder, shell: process.platform === "win32" });
}
