import { describe, expect, it } from "vitest";
import { missingPrompt, repairPrompt } from "../../src/complete/repair-prompt.js";

describe("repairPrompt()", () => {
  it("lists the issues by the paths that the model sees", () => {
    const issues = [{ path: "a[0]", message: "must be a string" }, { message: "is\nwrong" }];
    expect(repairPrompt({ isWrapped: false }, issues)).toBe(
      [
        "The value you gave to StructuredOutput is not valid:",
        "- a[0] must be a string",
        "- The whole value is wrong",
        "Call StructuredOutput again with the whole corrected value, not only the corrected parts.",
      ].join("\n"),
    );
    expect(repairPrompt({ isWrapped: true }, issues)).toContain(
      "- value.a[0] must be a string\n- value is wrong",
    );
    expect(missingPrompt()).toContain("StructuredOutput");
  });

  it("shows 20 issues and stays below 12,000 characters", () => {
    const issues = Array.from({ length: 5000 }, (_, i) => ({
      path: `[${i}]`,
      message: "x".repeat(9999),
    }));
    const prompt = repairPrompt({ isWrapped: true }, issues);
    expect(prompt).toContain("- and 4980 more of this kind");
    expect(prompt.length).toBeLessThan(12_000);
  });
});
