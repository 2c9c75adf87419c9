import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { REPOSITORY } from "../support/folders.js";

it("npm run docs builds a site with search and without dead links", {
  timeout: 1_800_000,
}, async () => {
  const { stdout } = await promisify(execFile)("npm", ["run", "-s", "docs"], {
    cwd: REPOSITORY,
    maxBuffer: 16 * 1024 * 1024,
  });
  expect(stdout).toContain("The site is in");
  const dist = join(REPOSITORY, "site/dist");
  expect(existsSync(join(dist, "api/hawser/functions/complete.html"))).toBe(true);
  expect(readFileSync(join(dist, "index.html"), "utf8")).toContain("Search");
});
