import type { Issue } from "hawser";
import { describe, expect, it } from "vitest";
import { fleetDatabase } from "../../src/serve/fleet-database.js";

const find = (facts: Partial<Parameters<typeof fleetDatabase>[0]>) =>
  fleetDatabase({
    config: {},
    given: undefined,
    env: {},
    folder: "/etc/hawser",
    issues: [],
    ...facts,
  });

describe("fleetDatabase()", () => {
  it("is undefined for a server without a fleet", () => {
    expect(
      find({ config: undefined, env: { HAWSER_DATABASE: "postgres://db/x" } }),
    ).toBeUndefined();
  });

  it("prefers the command line, then the configuration, then HAWSER_DATABASE, then a folder", () => {
    const env = { HAWSER_DATABASE: "postgres://db/env", OTHER: "postgres://db/other" };
    const config = { database: "postgres://db/config" };
    expect(find({ given: { folder: "/given" }, config, env })).toEqual({ folder: "/given" });
    expect(find({ config, env })).toBe("postgres://db/config");
    expect(find({ config: { databaseEnv: "OTHER" }, env })).toBe("postgres://db/other");
    expect(find({ env })).toBe("postgres://db/env");
    expect(find({})).toEqual({ folder: "/etc/hawser/.hawser/fleet" });
    expect(find({ config: { database: "runs" } })).toEqual({ folder: "/etc/hawser/runs" });
  });

  it("reports a variable that is not set", () => {
    const issues: Issue[] = [];
    find({ config: { databaseEnv: "MISSING" }, issues });
    expect(issues).toEqual([
      { path: "fleet.databaseEnv", message: "the environment variable MISSING is not set" },
    ]);
  });
});
