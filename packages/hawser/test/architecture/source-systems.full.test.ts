import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/folders.js";
import { FILES, names, REFERENCES } from "./source-systems.helper.js";

/**
 * The full names of the tests in these files, with the rows of tables. Vitest collects them in a
 * process of its own, because a worker of Vitest cannot collect for Vitest.
 */
async function collect(files: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const script = fileURLToPath(new URL("collect-titles.js", import.meta.url));
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|HAWSER_REST)/.test(name));
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...files], {
    cwd: REPOSITORY,
    env: { ...Object.fromEntries(own), HAWSER_FULL: "1" },
    maxBuffer: 64 * 1024 * 1024,
  });
  const names = new Map<string, string[]>(files.map((file) => [file, []]));
  const found: [file: string, name: string][] = JSON.parse(stdout);
  for (const [file, name] of found) names.get(file.replace("packages/hawser/", ""))?.push(name);
  return names;
}

describe("docs/source-systems.md", () => {
  it("names only tests that Vitest collects, by words of their titles", async () => {
    const collected = await collect(FILES);
    const missing = REFERENCES.filter(
      ({ file, words }) => !collected.get(file)?.some((title) => names(title, words)),
    );
    expect(missing).toEqual([]);
  }, 600_000);
});
