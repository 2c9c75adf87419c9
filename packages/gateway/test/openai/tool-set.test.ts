import { describe, expect, it } from "vitest";
import { IgnoredParameters } from "../../src/body/ignored-parameters.js";
import { type ToolInput, ToolSet } from "../../src/openai/tool-set.js";

function tool(name: string, namespace?: string): ToolInput {
  const group = namespace === undefined ? undefined : { name: namespace };
  return { kind: "function", name, namespace: group, path: "tools[0]" };
}

function toolSet(...inputs: readonly ToolInput[]): ToolSet {
  return new ToolSet(inputs, new IgnoredParameters());
}

function names(set: ToolSet): readonly string[] {
  return set.tools.map(({ name }) => name);
}

describe("ToolSet with namespaces", () => {
  it("gives the model one name for a tool and its namespace, and finds both again", () => {
    const set = toolSet(tool("search"), tool("search", "crm"), tool("search", "web"));
    expect(names(set)).toEqual(["search", "crm__search", "web__search"]);
    expect(set.clientName("search")).toEqual({ name: "search" });
    expect(set.clientName("web__search")).toEqual({ name: "search", namespace: "web" });
    expect(set.clientName("unknown")).toEqual({ name: "unknown" });
    expect(set.modelName({ name: "search", namespace: "crm" })).toBe("crm__search");
    expect(set.modelName({ name: "search", namespace: null })).toBe("search");
    expect(names(toolSet(tool("search", "mcp__docs__")))).toEqual(["mcp__docs__search"]);
  });

  it("names a call of a tool that is no longer offered in the same way", () => {
    const call = { name: "a".repeat(64), namespace: "crm" };
    const offered = toolSet(tool(call.name, call.namespace));
    expect(toolSet().modelName(call)).toBe(offered.modelName(call));
    expect(toolSet().modelName({ name: "search", namespace: "crm" })).toBe("crm__search");
  });

  it("cuts long names to 64 characters and keeps them apart", () => {
    const long = "n".repeat(64);
    const set = toolSet(tool("a".repeat(63), long), tool("b".repeat(63), long), tool("c", long));
    expect(new Set(names(set)).size).toBe(3);
    for (const name of names(set)) {
      expect(name).toMatch(/^n{51}_[0-9a-f]{12}$/);
      expect(set.clientName(name).namespace).toBe(long);
    }
    const whole = toolSet(tool("a".repeat(59), "crm"), tool("a".repeat(60), "crm"));
    expect(names(whole)).toEqual([
      `crm__${"a".repeat(59)}`,
      expect.stringMatching(/^crm__a{46}_[0-9a-f]{12}$/),
    ]);
  });

  it("keeps tools apart whose names with the namespace are the same", () => {
    const set = toolSet(tool("c", "a__b"), tool("b__c", "a"), tool("x__y"), tool("y", "x"));
    const [first, second, plain, last] = names(set);
    expect([first, plain]).toEqual(["a__b__c", "x__y"]);
    expect(second).toMatch(/^a__b__c_[0-9a-f]{12}$/);
    expect(set.clientName(second ?? "")).toEqual({ name: "b__c", namespace: "a" });
    expect(set.modelName({ name: "y", namespace: "x" })).toBe(last);
    expect(set.modelName({ name: "x__y" })).toBe("x__y");
  });

  it("chooses a tool of a namespace", () => {
    const set = toolSet(tool("search"), tool("search", "crm"));
    const chosen = { name: "search", namespace: "crm" };
    expect(set.named(chosen, "tool_choice.name")).toEqual({ tool: "crm__search" });
    expect(set.only([chosen], "tool_choice.tools").map(({ name }) => name)).toEqual([
      "crm__search",
    ]);
    expect(() => set.named({ name: "search", namespace: "web" }, "tool_choice.name")).toThrow(
      'there is no tool "search" in the namespace "web"',
    );
  });

  it.each([
    ["two tools of one name", [tool("a", "crm"), tool("a", "crm")]],
    ["a bad name of a namespace", [tool("a", "my crm")]],
    ["a bad name of a tool", [tool("my a", "crm")]],
  ])("refuses %s", (_, inputs) => {
    expect(() => toolSet(...inputs)).toThrow(expect.objectContaining({ param: "tools[0]" }));
  });
});
