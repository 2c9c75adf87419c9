import { describe, expect, it } from "vitest";
import { CLIS } from "../support/cli.js";
import { brokenGuards, inLanes, outcomeOnPage, tryAll } from "./permission-table.helper.js";
import { SETUPS } from "./permissions.helper.js";

/** Rows of which another row shows the behaviour. */
const REPRESENTED = new Set([
  "nobody", // by "hook has no opinion, nobody to ask"
  "`allowedTools`", // by "hook with `onFailure: "continue"` throws, `allowedTools`"
  'hook with `onFailure: "continue"` throws, callback denies', // by the same hook with `allowedTools`
]);

describe("the table in docs/permissions.md", () => {
  // permission-table.full.test.ts tries every row in every mode on every CLI.
  it("holds for deciders that must refuse in bypassPermissions, and for others in default", async () => {
    const setups = SETUPS.filter(({ deciders }) => !REPRESENTED.has(deciders[0]?.name ?? ""));
    const jobs = setups.map((setup, index) => {
      const cli = CLIS[index % CLIS.length] as (typeof CLIS)[number];
      return () =>
        tryAll(setup, ["default", "bypassPermissions"], cli, ({ guards }, mode) =>
          guards ? mode === "bypassPermissions" : mode === "default",
        );
    });
    const cells = (await inLanes(2, jobs)).flat();
    expect(brokenGuards(cells)).toEqual([]);
    for (const cell of cells) {
      const { decider, cli, column, outcome } = cell;
      const where = [decider.name, cli, column];
      expect([...where, outcome]).toEqual([...where, await outcomeOnPage(cell)]);
    }
  }, 300_000);
});
