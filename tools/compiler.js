import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const { resolve } = createRequire(import.meta.url);

/**
 * The TypeScript compiler that checks and builds all packages. It is the native one, because it takes a quarter of the
 * time. Programs that use the compiler as a library import `typescript`, which is the last version that has that library.
 */
export const TSC = join(dirname(resolve("typescript-7/package.json")), "bin/tsc");

/**
 * Runs the compiler. It prints what is wrong, and this process then ends with its status.
 * @param {string[]} args
 */
export function compile(...args) {
  try {
    execFileSync(process.execPath, [TSC, ...args], { stdio: "inherit" });
  } catch (error) {
    process.exit(error.status ?? 1);
  }
}
