import { describe, expect, it } from "vitest";
import * as root from "../../src/index.js";
import * as testing from "../../src/testing/index.js";

/** The names that others import. Adding one is a decision; removing one breaks somebody. */
describe("the exported names", () => {
  it("of hawser", () => {
    expect(Object.keys(root).sort()).toEqual([
      "ERROR_CODES",
      "HawserError",
      "LineFramer",
      "MemoryTransport",
      "SubprocessTransport",
      "buildInvocation",
      "checkCli",
      "complete",
      "explain",
      "isHawserError",
      "locateCli",
      "processes",
      "shutdown",
    ]);
  });

  it("of hawser/testing", () => {
    expect(Object.keys(testing).sort()).toEqual([
      "SimulatedModel",
      "always",
      "apiError",
      "cut",
      "fakeCli",
      "hang",
      "isolatedEnv",
      "maxTokens",
      "rateLimitHeaders",
      "redactedThinking",
      "refusal",
      "reply",
      "streamError",
      "text",
      "thinking",
      "toolUse",
      "usageLimit",
    ]);
  });
});
