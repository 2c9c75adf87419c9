import { describe, expect, it } from "vitest";
import { CHECKS } from "../../../../versions/checks.js";
import { makePage } from "../../../../versions/page.js";
import { readResults } from "../../../../versions/results.js";
import { PINNED, VERSIONS } from "../../../../versions/versions.js";
import { readPage } from "./page.helper.js";

describe("docs/versions.md", () => {
  const results = readResults();

  it("is what versions/page.js makes of versions/results.json", () => {
    expect(readPage("docs/versions.md")).toBe(makePage(results));
  });

  it("shows every version of versions/versions.js, and the pinned one", () => {
    expect(VERSIONS.length).toBeGreaterThanOrEqual(7);
    expect(VERSIONS).toContain(PINNED);
    expect(Object.keys(results.versions)).toEqual(VERSIONS);
  });

  it.each(VERSIONS)("has an outcome of every check on %s, and no guard that is open", (version) => {
    const cells = results.versions[version]?.cells ?? {};
    expect(Object.keys(cells)).toEqual(CHECKS.map(({ id }) => id));
    const open = CHECKS.filter(({ id, isGuard }) => isGuard && cells[id]?.outcome === "fails");
    expect(open.map(({ id }) => id)).toEqual([]);
  });
});
