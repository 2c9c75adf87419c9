import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGE = readFileSync(`${ROOT}/docs/source-systems.md`, "utf8");

const rows = PAGE.split("\n").filter(
  (line) => line.startsWith("| ") && !/^\| (behaviour|fact|topic) /.test(line),
);
const references = [...PAGE.matchAll(/`(test\/[^`]+\.ts)` "((?:[^"\\]|\\.)+)"/g)].map((match) => ({
  file: match[1] ?? "",
  words: (match[2] ?? "").replaceAll("\\", ""),
}));

describe("docs/source-systems.md", () => {
  it("has rows and references to check", () => {
    expect(rows.length).toBeGreaterThan(100);
    expect(references.length).toBeGreaterThan(100);
  });

  it("names a test in every row, or says why there is nothing to hold", () => {
    const loose = rows.filter((row) => !/`test\/[^`]+\.ts` "/.test(row));
    expect(loose.filter((row) => !/changed, because .*\| – \|$/.test(row))).toEqual([]);
  });

  it("names only tests that exist", () => {
    const missing = references.filter(({ file, words }) => {
      const path = `${ROOT}/${file}`;
      return !existsSync(path) || !readFileSync(path, "utf8").includes(words);
    });
    expect(missing).toEqual([]);
  });
});
