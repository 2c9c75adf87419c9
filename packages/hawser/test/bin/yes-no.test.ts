import { describe, expect, it } from "vitest";
import { isNo, isYes } from "../../src/bin/terminal/yes-no.js";

describe("isYes()", () => {
  it.each(["y", "Y", "yes", " YES ", "yes please", "Yes, please!", "y please"])(
    "accepts %j",
    (answer) => expect(isYes(answer)).toBe(true),
  );

  it.each(["", "yeah but no", "yes, but use ls", "yesterday", "no", "please"])(
    "does not accept %j",
    (answer) => expect(isYes(answer)).toBe(false),
  );
});

describe("isNo()", () => {
  it.each(["n", "NO", " no ", "no thanks", "No, thank you."])("accepts %j", (answer) =>
    expect(isNo(answer)).toBe(true),
  );

  it.each(["", "no, use ls", "not now", "none", "yes"])("does not accept %j", (answer) =>
    expect(isNo(answer)).toBe(false),
  );
});
