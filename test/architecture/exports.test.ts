import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HAWSER_VERSION } from "../../src/errors/index.js";
import * as root from "../../src/index.js";
import * as testing from "../../src/testing/index.js";

it("the version that a trace names is the package's", () => {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  expect(HAWSER_VERSION).toBe(JSON.parse(manifest).version);
});

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
      "isMessage",
      "isResult",
      "isSystem",
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
