import { describe, expect, it } from "vitest";
import { IgnoredParameters } from "../../src/body/ignored-parameters.js";
import { applyParameterTable } from "../../src/body/parameters.js";
import { CHAT_PARAMETERS } from "../../src/openai/chat/chat-parameters.js";
import { RESPONSES_PARAMETERS } from "../../src/openai/responses/responses-parameters.js";
import { CHAT_NAMES, RESPONSES_NAMES } from "./openai-parameters.helper.js";

describe.each([
  { name: "CHAT_PARAMETERS", table: CHAT_PARAMETERS, names: CHAT_NAMES },
  { name: "RESPONSES_PARAMETERS", table: RESPONSES_PARAMETERS, names: RESPONSES_NAMES },
])("$name", ({ table, names }) => {
  it("has one row for each parameter of openai 7.53, and no other", () => {
    expect(Object.keys(table).toSorted()).toEqual([...names].toSorted());
  });

  it("does not name a parameter that is null", () => {
    const ignored = new IgnoredParameters();
    applyParameterTable(Object.fromEntries(names.map((name) => [name, null])), table, ignored);
    expect(ignored.names).toEqual([]);
  });

  it("names each parameter without effect, and refuses what it cannot fulfil", () => {
    for (const [name, { use }] of Object.entries(table)) {
      const ignored = new IgnoredParameters();
      const apply = () => applyParameterTable({ [name]: "any value" }, table, ignored);
      if (use === "refused") expect(apply).toThrow(expect.objectContaining({ param: name }));
      else apply();
      expect(ignored.names).toEqual(use === "ignored" ? [name] : []);
    }
  });
});

describe("applyParameterTable()", () => {
  it("names parameters that it does not know", () => {
    const ignored = new IgnoredParameters();
    applyParameterTable({ top_k: 3, constructor: 1 }, CHAT_PARAMETERS, ignored);
    expect(ignored.names).toEqual(["top_k", "constructor"]);
  });

  it.each([
    { n: 1 },
    { logprobs: false },
    { top_logprobs: 0 },
    { modalities: ["text"] },
    { store: false },
    { service_tier: "auto" },
  ])("accepts %j, which asks for what the gateway does", (body) => {
    const ignored = new IgnoredParameters();
    applyParameterTable(body, CHAT_PARAMETERS, ignored);
    expect(ignored.names).toEqual([]);
  });
});
