import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { translateCall } from "../../src/completion/translate-call.js";
import { PoolSource } from "../../src/pool-source.js";
import type { ModelSettings } from "../../src/settings.js";

function translate(
  more: Partial<LanguageModelV4CallOptions>,
  defaults: ModelSettings = {},
): ReturnType<typeof translateCall> {
  const options: LanguageModelV4CallOptions = {
    prompt: [{ role: "user", content: [{ type: "text", text: "Name a knot." }] }],
    ...more,
  };
  const pools = new PoolSource(undefined, undefined);
  return translateCall(options, { modelId: "sonnet", pools, defaults });
}

describe("translateCall()", () => {
  it.each(["low", "medium", "high", "xhigh", "max"] as const)(
    "makes reasoning %s the effort, and shows the thinking",
    (reasoning) => {
      const { request, warnings } = translate({ reasoning });
      expect(request).toMatchObject({
        effort: reasoning,
        thinking: { type: "adaptive", display: "summarized" },
      });
      expect(warnings.list).toEqual([]);
    },
  );

  it("lets reasoning decide before the settings, except provider-default", () => {
    const defaults: ModelSettings = { effort: "high", thinking: { type: "adaptive" } };
    expect(translate({ reasoning: "none" }, defaults).request).toMatchObject({
      effort: undefined,
      thinking: { type: "disabled" },
    });
    expect(translate({ reasoning: "provider-default" }, defaults).request).toMatchObject(defaults);
    expect(translate({}, defaults).request).toMatchObject(defaults);
  });

  it.each([
    { toolChoice: { type: "auto" }, made: "auto" },
    { toolChoice: { type: "none" }, made: "none" },
    { toolChoice: { type: "required" }, made: "required" },
    { toolChoice: { type: "tool", toolName: "tie" }, made: { tool: "tie" } },
    { toolChoice: undefined, made: "auto" },
  ] as const)("translates the tool choice $toolChoice", ({ toolChoice, made }) => {
    const choice = toolChoice === undefined ? {} : { toolChoice };
    expect(translate(choice).request.toolChoice).toEqual(made);
  });

  it("puts the name and the description of the output into the schema", () => {
    const schema = { type: "object" } as const;
    const responseFormat = { type: "json", schema, name: "Knot", description: "A knot." } as const;
    const { request } = translate({ responseFormat });
    expect(request.schema).toEqual({ title: "Knot", description: "A knot.", type: "object" });
  });

  it("takes stop sequences for a text only", () => {
    const text = translate({ stopSequences: ["END"] });
    expect(text.request.stopSequences).toEqual(["END"]);
    expect(text.warnings.list).toMatchObject([{ type: "compatibility", feature: "stopSequences" }]);
    const schema = { type: "object" } as const;
    const json = translate({
      stopSequences: ["END"],
      responseFormat: { type: "json", schema },
    });
    expect(json.request.stopSequences).toEqual([]);
    expect(json.warnings.list).toMatchObject([{ type: "unsupported", feature: "stopSequences" }]);
  });

  it("warns of no header but those of the caller", () => {
    expect(translate({ headers: { "User-Agent": "ai/7" } }).warnings.list).toEqual([]);
    expect(translate({ headers: { "x-a": "1", "x-b": undefined } }).warnings.list).toHaveLength(1);
  });
});
