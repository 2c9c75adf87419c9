import { describe, expect, it } from "vitest";
import { usesBareMode } from "../../src/answer/call-options.js";

describe("usesBareMode()", () => {
  it.each([
    { options: { apiKey: "k" }, bare: true },
    { options: { env: { ANTHROPIC_API_KEY: "k" } }, bare: true },
    { options: {}, environment: { ANTHROPIC_API_KEY: "k" }, bare: true },
    { options: { inheritEnv: false }, environment: { ANTHROPIC_API_KEY: "k" }, bare: false },
    { options: { inheritEnv: ["PATH"] }, environment: { ANTHROPIC_API_KEY: "k" }, bare: false },
    { options: {}, bare: false },
    { options: { oauthToken: "t" }, bare: false },
    { options: { apiKey: "k", env: { ANTHROPIC_AUTH_TOKEN: "t" } }, bare: false },
    { options: { apiKey: "k", rules: [] }, bare: false },
    { options: { apiKey: "k", bare: false }, bare: false },
  ])("is $bare for $options and $environment", ({ options, environment = {}, bare }) => {
    expect(usesBareMode(options, environment)).toBe(bare);
  });
});
