import { expect, it } from "vitest";

it("runs on Node 22", () => {
  const [major = 0] = process.versions.node.split(".").map(Number);
  expect(major).toBeGreaterThanOrEqual(22);
});
