import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PACKAGE } from "../support/folders.js";
import { FILES, PAGE, REFERENCES } from "./source-systems.helper.js";
import { mayName, staticTitlesOf } from "./static-titles.helper.js";

const rows = PAGE.split("\n").filter(
  (line) => line.startsWith("| ") && !/^\| (behaviour|fact|topic) /.test(line),
);

describe("docs/source-systems.md", () => {
  it("has rows and references to check", () => {
    expect(rows.length).toBeGreaterThan(100);
    expect(REFERENCES.length).toBeGreaterThan(100);
  });

  it("names a test in every row", () => {
    expect(rows.filter((row) => !/`test\/[^`]+\.ts` "/.test(row))).toEqual([]);
  });

  it("names only test files that exist", () => {
    expect(FILES.filter((file) => !existsSync(`${PACKAGE}${file}`))).toEqual([]);
    expect(FILES.filter((file) => !file.endsWith(".test.ts"))).toEqual([]);
  });

  // The titles are read from the text of the test files, because Vitest would have to import them all.
  // source-systems.full.test.ts compares the references with the titles that Vitest collects.
  it("names only tests whose titles have the words, as far as the test files show their titles", () => {
    const titles = new Map(FILES.map((file) => [file, staticTitlesOf(`${PACKAGE}${file}`)]));
    const missing = REFERENCES.filter(({ file, words }) => {
      const known = titles.get(file);
      return known === undefined || !mayName(known, words);
    });
    expect(missing).toEqual([]);
  });
});

describe("mayName()", () => {
  it.each([
    ["a word that the title does not have", "refuses an unknown nam"],
    ["words in another order", "an unknown name refuses"],
    ["a row that the table does not have", "is refused: maxTurns 17"],
  ])("does not match %s", (_, words) => {
    const files = ["test/process/user.test.ts", "test/options/validate.test.ts"];
    const known = files.map((file) => staticTitlesOf(`${PACKAGE}${file}`));
    expect(known.filter((titles) => mayName(titles, words))).toEqual([]);
  });
});
