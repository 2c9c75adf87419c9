import { describe, expect, it } from "vitest";
import { checkFleetAgents, fleetAgentOf, runsOnFleet } from "../../src/fleet/fleet-agent.js";

const BOTH = { hasPool: true, hasFleet: true };
const ONLY_FLEET = { hasPool: false, hasFleet: true };
const ONLY_POOL = { hasPool: true, hasFleet: false };

describe("runsOnFleet()", () => {
  it.each([
    [{}, BOTH, false],
    [{ runOn: "fleet" as const }, BOTH, true],
    [{}, ONLY_FLEET, true],
    [{ runOn: "pool" as const }, ONLY_FLEET, false],
    [{}, ONLY_POOL, false],
  ])("%j with %j: %s", (agent, places, isOnFleet) => {
    expect(runsOnFleet(agent, places)).toBe(isOnFleet);
  });
});

describe("fleetAgentOf()", () => {
  it("takes the name of the agent as its profile, and only options that travel", () => {
    expect(fleetAgentOf("fixer", { runOn: "fleet", description: "Fixes.", maxTurns: 3 })).toEqual({
      profile: "fixer",
      queue: undefined,
      options: { maxTurns: 3 },
    });
    expect(fleetAgentOf("fixer", { profile: "brief", queue: "large" })).toMatchObject({
      profile: "brief",
      queue: "large",
    });
  });
});

describe("checkFleetAgents()", () => {
  it.each([
    [{ a: { runOn: "fleet" as const } }, ONLY_POOL, "agents.a.runOn"],
    [{ a: { cwd: "/srv" } }, ONLY_FLEET, "agents.a.cwd"],
    [{ a: { runOn: "fleet" as const, priority: 3 } }, BOTH, "agents.a.priority"],
  ])("refuses %j", (agents, places, path) => {
    expect(() => checkFleetAgents(agents, places)).toThrow(
      expect.objectContaining({
        code: "invalid_options",
        issues: [expect.objectContaining({ path })],
      }),
    );
  });

  it("does not look at agents of the pool", () => {
    expect(() => checkFleetAgents({ a: { cwd: "/srv" } }, BOTH)).not.toThrow();
  });
});
