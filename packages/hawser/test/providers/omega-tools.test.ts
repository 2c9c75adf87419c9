import { describe, expect, it } from "vitest";
import { mcpToolPatterns } from "../../src/providers/index.js";

const patterns = (...names: string[]) => mcpToolPatterns(names.map((name) => ({ name })));

describe("the allow rules for tools of MCP servers", () => {
  it("have one pattern for each server", () => {
    expect(patterns("playwright", "git-hub")).toEqual(["mcp__playwright__*", "mcp__git-hub__*"]);
    expect(patterns()).toEqual([]);
  });

  it("write a server name as the CLI does", () => {
    expect(patterns("my server", "a.b", "ümlaut", "x😀y", "claude.ai  My. Thing ")).toEqual([
      "mcp__my_server__*",
      "mcp__a_b__*",
      "mcp___mlaut__*",
      "mcp__x__y__*",
      "mcp__claude_ai_My_Thing__*",
    ]);
  });

  it.each([
    ["the same", "tiny", "tiny"],
    ["the same for the CLI", "a.b", "a b"],
  ])("are refused for two names that are %s", (_what, first, second) => {
    const make = () => patterns("other", first, second);
    expect(make).toThrow(
      expect.objectContaining({
        code: "invalid_options",
        message: `The MCP server "${second}" has the same name for the CLI as "${first}".`,
        issues: [expect.objectContaining({ path: "mcpServers[2].name" })],
      }),
    );
  });
});
