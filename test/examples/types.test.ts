import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

it("every example fits the types of the package", async () => {
  const tsc = ["node_modules/typescript/bin/tsc", "-p", "examples"];
  const { stdout } = await promisify(execFile)(process.execPath, tsc, { cwd: ROOT }).catch(
    (error: { readonly stdout: string }) => error,
  );
  expect(stdout).toBe("");
}, 120_000);
