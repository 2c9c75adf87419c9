import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { TSC } from "../../../../tools/compiler.js";
import { REPOSITORY } from "../support/folders.js";

it("every file in examples compiles with the types of the package", async () => {
  const args = [TSC, "-p", "examples"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: REPOSITORY }).catch(
    (error: { readonly stdout: string }) => error,
  );
  expect(stdout).toBe("");
}, 120_000);

it("examples/README.md lists every example", () => {
  const folder = join(REPOSITORY, "examples");
  const page = readFileSync(join(folder, "README.md"), "utf8");
  const listed = [...page.matchAll(/^\| \[[^\]]+\]\(([^)]+)\)/gm)].map(([, name]) => name);
  const others = ["README.md", "tsconfig.json"];
  const there = readdirSync(folder).filter((name) => !others.includes(name));
  expect(listed.toSorted()).toEqual(there.toSorted());
});
