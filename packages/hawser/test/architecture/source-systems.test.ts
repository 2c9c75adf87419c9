import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { PACKAGE, REPOSITORY } from "../support/folders.js";

const PAGE = readFileSync(`${REPOSITORY}docs/source-systems.md`, "utf8");

const rows = PAGE.split("\n").filter(
  (line) => line.startsWith("| ") && !/^\| (behaviour|fact|topic) /.test(line),
);
const references = [...PAGE.matchAll(/`(test\/[^`]+\.ts)` "((?:[^"\\]|\\.)+)"/g)].map((match) => ({
  file: match[1] ?? "",
  words: (match[2] ?? "").replace(/\\(.)/g, "$1"),
}));

/**
 * The full names of the tests in these files, those of tables included. In a process of its own,
 * because a worker of Vitest cannot collect for Vitest.
 */
async function collect(files: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const script = fileURLToPath(new URL("collect-titles.js", import.meta.url));
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST"));
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...files], {
    cwd: REPOSITORY,
    env: Object.fromEntries(own),
    maxBuffer: 64 * 1024 * 1024,
  });
  const names = new Map<string, string[]>(files.map((file) => [file, []]));
  const found: [file: string, name: string][] = JSON.parse(stdout);
  for (const [file, name] of found) names.get(file.replace("packages/hawser/", ""))?.push(name);
  return names;
}

/** Whether whole words of a title are meant: "cut" is no part of "execute". */
function names(title: string, words: string): boolean {
  const literal = words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<!\\w)${literal}(?!\\w)`).test(title);
}

describe("docs/source-systems.md", () => {
  it("has rows and references to check", () => {
    expect(rows.length).toBeGreaterThan(100);
    expect(references.length).toBeGreaterThan(100);
  });

  it("names a test in every row", () => {
    expect(rows.filter((row) => !/`test\/[^`]+\.ts` "/.test(row))).toEqual([]);
  });

  it("names only tests that Vitest collects, by words of their titles", async () => {
    const files = [...new Set(references.map(({ file }) => file))];
    expect(files.filter((file) => !existsSync(`${PACKAGE}${file}`))).toEqual([]);
    expect(files.filter((file) => !file.endsWith(".test.ts"))).toEqual([]);
    const collected = await collect(files);
    const missing = references.filter(
      ({ file, words }) => !collected.get(file)?.some((title) => names(title, words)),
    );
    expect(missing).toEqual([]);
  }, 600_000);
});
