import { describe, expect, it } from "vitest";
import { CLIS } from "../support/cli.js";
import {
  brokenGuards,
  inLanes,
  matchesPage,
  PARTS,
  table,
  tryAll,
} from "./permission-table.helper.js";
import { SETUPS } from "./permissions.helper.js";

describe("the table in docs/permissions.md", () => {
  it("holds in every mode on every CLI, and a refused call has no side effect", async () => {
    const jobs = SETUPS.flatMap((setup) =>
      CLIS.flatMap((cli) => PARTS.map((modes) => () => tryAll(setup, modes, cli))),
    );
    const cells = (await inLanes(6, jobs)).flat();
    expect(brokenGuards(cells)).toEqual([]);
    await matchesPage(table(cells));
  }, 600_000);
});
