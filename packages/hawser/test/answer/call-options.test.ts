import { describe, expect, it } from "vitest";
import { callOptions, usesBareMode } from "../../src/answer/call-options.js";
import type { ModelRequest } from "../../src/answer/model-request.js";

const REQUEST: ModelRequest = {
  model: "haiku",
  system: undefined,
  messages: [{ role: "user", content: "Name a knot." }],
  tools: [],
  toolChoice: "auto",
  allowsParallelCalls: true,
  schema: undefined,
  wantsJson: false,
  effort: undefined,
  thinking: undefined,
  stopSequences: [],
};

describe("callOptions()", () => {
  it.each([
    { options: {}, thinking: { type: "disabled" } },
    // Otherwise the limit would be left out, because thinking is disabled.
    { options: { maxThinkingTokens: 4096 }, thinking: undefined },
  ])("has thinking $thinking for $options", ({ options, thinking }) => {
    const facts = { model: "haiku", tenant: undefined, signal: undefined };
    expect(callOptions({ ...facts, request: REQUEST, options }).thinking).toEqual(thinking);
  });
});

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
