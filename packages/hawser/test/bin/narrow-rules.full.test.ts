import { describe, it } from "vitest";
import { expectNarrowRules, PAIRS } from "./denied-calls.helper.js";

describe("the rule of allowRule() on the real CLI", () => {
  it.each(PAIRS)("permits $tool $call, and not $other", async (pair) => {
    await expectNarrowRules([pair]);
  });
});
