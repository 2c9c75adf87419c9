import { describe, expect, it } from "vitest";
import { compareVersions, parseVersion } from "../../src/options/index.js";

describe("parseVersion() and compareVersions()", () => {
  it.each([
    ["2.4.1", [2, 4, 1]],
    ["2.4.1-beta.1", [2, 4, 1]],
    ["2.4.1 (stable channel)", [2, 4, 1]],
    ["2.1.325 (Claude Code)\n", [2, 1, 325]],
    ["v2.0.0+build.5", [2, 0, 0]],
  ])("read a version from %j", (text, version) => {
    expect(parseVersion(text)).toEqual(version);
  });

  it.each(["", "invalid", "2.4", "2.4.1.5", "Claude 2.4.1", `${"9".repeat(30)}.0.0`])(
    "read no version from %j",
    (text) => {
      expect(parseVersion(text)).toBeUndefined();
    },
  );

  it("order versions by number, not by letter", () => {
    expect(compareVersions([2, 1, 9], [2, 1, 10])).toBeLessThan(0);
    expect(compareVersions([2, 0, 99], [2, 1, 0])).toBeLessThan(0);
    expect(compareVersions([10, 0, 0], [9, 9, 9])).toBeGreaterThan(0);
    expect(compareVersions([2, 1, 3], [2, 1, 3])).toBe(0);
  });
});
