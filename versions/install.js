import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { installOnce } from "../tools/install-once.js";
import { nativeCli } from "../tools/native-cli.js";

const PACKAGE = "@anthropic-ai/claude-code";

/** Where the CLIs are kept between runs, outside of the repository and of every lock file. */
export function cacheFolder() {
  const { XDG_CACHE_HOME: cache } = process.env;
  return join(cache || join(homedir(), ".cache"), "hawser", "clis");
}

/**
 * Installs this version of the CLI, unless it is in the cache, and returns the file to start.
 * @param {string} version
 */
export async function installCli(version) {
  const place = await installOnce(join(cacheFolder(), version), (folder) =>
    installPackages(folder, { [PACKAGE]: version }),
  );
  // The CLI was a script for Node.js up to 2.1.112. Then it became an executable in a package for the platform.
  const script = join(place, "node_modules", PACKAGE, "cli.js");
  return existsSync(script) ? script : nativeCli(PACKAGE, join(place, "package.json"));
}

/**
 * Installs packages into a folder, without their install scripts: all that is needed is their files.
 * @param {string} folder
 * @param {Record<string, string>} dependencies
 */
export async function installPackages(folder, dependencies) {
  await writeFile(
    join(folder, "package.json"),
    `${JSON.stringify({ private: true, type: "module", dependencies }, null, 2)}\n`,
  );
  await npm(["install", "--ignore-scripts", "--no-audit", "--no-fund"], folder);
}

/**
 * The version that the registry names as the newest of a package.
 * @param {string} name
 */
export async function newestVersion(name) {
  return (await npm(["view", name, "version"], process.cwd())).trim();
}

/**
 * @param {readonly string[]} argv
 * @param {string} cwd
 */
async function npm(argv, cwd) {
  const { stdout } = await promisify(execFile)("npm", [...argv], {
    cwd,
    shell: process.platform === "win32",
  });
  return stdout;
}
