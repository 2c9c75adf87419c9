import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const FOLDER = fileURLToPath(new URL("../../../test/clients", import.meta.url));
const run = promisify(execFile);
const missing = await installClients();

describe("hawser serve with real clients", () => {
  it("passes every check of test/clients", { timeout: 1_800_000 }, async (test) => {
    if (missing !== undefined) test.skip(missing);
    const program = join(FOLDER, "run.js");
    const { stdout, failed } = await run(process.execPath, [program], { maxBuffer: 2 ** 26 }).then(
      ({ stdout }) => ({ stdout, failed: false }),
      (error: { stdout: string }) => ({ stdout: error.stdout, failed: true }),
    );
    const [, passed = 0] = /^(\d+) passed, 0 failed$/m.exec(stdout) ?? [];
    expect({ failed, passed: Number(passed) > 0 }, stdout).toEqual({ failed: false, passed: true });
  });
});

/** Why the clients are not there; undefined if they are. */
async function installClients(): Promise<string | undefined> {
  if (existsSync(join(FOLDER, "node_modules/.package-lock.json"))) return undefined;
  try {
    const flags = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", flags, { cwd: FOLDER, shell: process.platform === "win32" });
    return undefined;
  } catch (error) {
    return `test/clients could not be installed by "npm ci": ${error}`;
  }
}
