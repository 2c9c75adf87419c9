import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createDatabase } from "../support/postgres.js";

it("listen() and close() keep a program alive that waits for nothing else", async () => {
  const database = await createDatabase();
  const program = fileURLToPath(new URL("./waiting-program.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, database.url]);
  expect(stdout).toBe("closed\n");
  await database.dispose();
});
