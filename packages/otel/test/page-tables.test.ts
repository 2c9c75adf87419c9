import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { withTables } from "../scripts/page-tables.js";
import * as conventions from "../src/conventions.js";

const PAGE = readFileSync(new URL("../../../docs/observability.md", import.meta.url), "utf8");

it("the tables of docs/observability.md are those of the table of names", () => {
  expect(withTables(PAGE, conventions)).toBe(PAGE);
  expect([...PAGE.matchAll(/<!-- table: (\w+) -->/g)].map(([, name]) => name)).toEqual([
    ...["spans", "attributes", "events", "metrics", "content", "latest"],
  ]);
  expect(PAGE).toContain(`version ${conventions.SEMCONV_VERSION}`);
});
