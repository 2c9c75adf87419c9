import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { gone, madeFolder, removeFolder, temporaryFolder } from "../support/folder-world.js";
import { createDatabase } from "../support/postgres.js";

const PROGRAM = fileURLToPath(new URL("./forgetful-user.js", import.meta.url));

/** PGlite alone takes five seconds of a core to start. */
const LIMIT_MS = 170_000;

/** Resolves when the program has ended by itself. */
async function runProgram(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args], {
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  });
  return stdout.trim();
}

describe("a program that forgets to close the database", { timeout: LIMIT_MS + 10_000 }, () => {
  it("ends by itself with a server", async () => {
    const { url, dispose } = await createDatabase();
    expect(await runProgram("url", url)).toBe("done");
    await dispose();
  });

  it("ends by itself with a folder, and leaves no process behind", async () => {
    const root = temporaryFolder();
    const folder = madeFolder(root);
    expect(await runProgram("folder", folder)).toBe("done");
    await gone(folder);
    await removeFolder(root);
  });

  it("ends by itself with :memory:", async () => {
    expect(await runProgram("memory", "")).toBe("done");
  });
});
