import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ERROR_CODES } from "../../src/base/index.js";
import { BUILT } from "../support/built.js";
import { REPOSITORY } from "../support/folders.js";
import { codesIn } from "./mention.helper.js";
import { GUIDES, prose, readPage } from "./page.helper.js";

/** Pages whose names are also those of the code inside, of other packages, or of other systems. */
const OF_OTHER_THINGS = [
  "docs/ai-sdk.md",
  "docs/architecture.md",
  "docs/capacity.md",
  "docs/gateway.md",
  "docs/observability.md",
  "docs/source-systems.md",
];

it("every name in the guides is in the declarations of the packages", () => {
  const known = declaredNames();
  const pages = GUIDES.filter((page) => !OF_OTHER_THINGS.includes(page));
  const places = pages.flatMap((page) => namesIn(page, readPage(page)));
  expect(places.filter(({ name }) => !known.has(name))).toEqual([]);
  expect(namesIn("x.md", "`maxRepair` or `max_turn: 3`, but `claude -p`")).toEqual([
    { place: "x.md:1", name: "maxRepair" },
    { place: "x.md:1", name: "max_turn" },
  ]);
});

it("every error code in the guides is in ERROR_CODES", () => {
  const rows = GUIDES.flatMap((page) => codesInTables(page, readPage(page)));
  expect(rows.length).toBeGreaterThan(Object.keys(ERROR_CODES).length);
  expect(rows.filter(({ code }) => !(code in ERROR_CODES))).toEqual([]);
  expect(codesInTables("x.md", "| code | b |\n|---|---|\n| `rate_limit` | |\n")).toEqual([
    { place: "x.md:3", code: "rate_limit" },
  ]);
});

/** Names of two words or more, as code has them: others may be anything. */
const NAME = /^(?:[a-z][a-z0-9]*(?:[A-Z]\w*)|[a-z]+(?:_[a-z]+)+)(?=$|[:(])/;

function namesIn(page: string, source: string): { place: string; name: string }[] {
  return prose(source).flatMap((text, line) => {
    const names = codesIn(text).flatMap((code) => NAME.exec(code)?.[0] ?? []);
    return names.map((name) => ({ place: `${page}:${line}`, name }));
  });
}

/** The fleet's names are those of a whole guide. The guides of other packages name things of other libraries as well. */
const DECLARATIONS = [
  BUILT,
  join(REPOSITORY, "packages/fleet/dist"),
  join(REPOSITORY, "packages/inspector/dist"),
];

/** Every word of the declarations, comments left out. */
function declaredNames(): ReadonlySet<string> {
  const texts = DECLARATIONS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".d.ts"))
      .map((name) => readFileSync(join(folder, name), "utf8").replace(/\/\*[\s\S]*?\*\//g, "")),
  );
  return new Set(texts.flatMap((text) => text.match(/\w+/g) ?? []));
}

/** What stands as code in the columns that are called so. */
function codesInTables(page: string, source: string): { place: string; code: string }[] {
  let column = -1;
  return prose(source).flatMap((text, line) => {
    const cells = text.split("|").map((cell) => cell.trim());
    if (!text.startsWith("|")) column = -1;
    else if (column < 0) column = cells.indexOf("code");
    if (column < 0) return [];
    return codesIn(cells[column] ?? "").map((code) => ({ place: `${page}:${line}`, code }));
  });
}
