import { describe, expect, it } from "vitest";
import { closestName } from "../../src/base/index.js";

describe("closestName()", () => {
  const EVENTS = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStop"];

  it("finds the name that differs by the fewest letters", () => {
    expect(closestName("timeout", ["timeoutsOfAllPhases", "timeouts"])).toBe("timeouts");
    expect(closestName("pre_tool_use", EVENTS)).toBe("PreToolUse");
  });

  it.each([
    ["prompt", ["promptSuggestions"]],
    ["userAgent", ["user"]],
    ["enabledPlatforms", ["enabled"]],
  ])(
    "finds nothing for %s, because a name that only begins alike may mean something else",
    (name, names) => {
      expect(closestName(name, names)).toBeUndefined();
    },
  );

  it("finds nothing for a name that resembles none", () => {
    expect(closestName("temperature", EVENTS)).toBeUndefined();
    expect(closestName("Stop".repeat(17), EVENTS)).toBeUndefined();
  });
});
