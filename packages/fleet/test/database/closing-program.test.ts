import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createDatabase } from "../support/postgres.js";

const PROGRAM = fileURLToPath(new URL("closing-program.js", import.meta.url));

it("listen() and close() resolve in a program that nothing else keeps alive", async () => {
  const { url, dispose } = await createDatabase();
  try {
    // Rejects if the program ends with another code than 0.
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, url]);
    expect(stdout).toBe("closed\n");
  } finally {
    await dispose();
  }
});
