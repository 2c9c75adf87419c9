import { describe, expect, it } from "vitest";
import { createSdkMcpServer, tool } from "../../src/mcp/index.js";
import type { PolicyRule } from "../../src/options/index.js";
import { explainPermission } from "../../src/session/index.js";
import { toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { open } from "../support/open-session.js";
import { open as openFake } from "./fake.helper.js";

describe("explainPermission with a rule on MCP tools", () => {
  const decide = (
    rule: string,
    name: string,
    mcpServers: readonly string[],
    decision: PolicyRule["decision"] = "allow",
  ) =>
    explainPermission(
      [{ tool: rule, decision }],
      name,
      {},
      decision === "allow" ? "deny" : "allow",
      {
        mcpServers,
      },
    ).decision;

  it("fits the server a by `mcp__a__*` and `mcp__a`, and not a server a__b", () => {
    for (const rule of ["mcp__a__*", "mcp__a"]) {
      expect(decide(rule, "mcp__a__x", ["a"])).toBe("allow");
      expect(decide(rule, "mcp__a__b__c", ["a"])).toBe("allow");
      expect(decide(rule, "mcp__a__b__c", ["a__b"])).toBe("deny");
      expect(decide(rule, "mcp__a__x", ["a"], "deny")).toBe("deny");
      expect(decide(rule, "mcp__ab__x", ["ab"])).toBe("deny");
    }
    expect(decide("mcp__a__b__*", "mcp__a__b__c", ["a__b"])).toBe("allow");
    expect(decide("mcp__a__b__*", "mcp__a__b__c", ["a"])).toBe("allow");
    expect(decide("mcp__*__push", "mcp__a__push", ["a"])).toBe("allow");
    expect(decide("mcp__*", "mcp__a__push", ["a"])).toBe("allow");
    expect(decide("*", "mcp__a__push", ["a"])).toBe("allow");
    expect(decide("mcp__my_server__*", "mcp__my_server__t", ["my server"])).toBe("allow");
  });

  it("denies the resources of a server by a rule that denies the server", () => {
    for (const tool of ["mcp__a__*", "mcp__a"]) {
      const decide = (server: string) =>
        explainPermission(
          [{ tool, decision: "deny" }],
          "ReadMcpResourceTool",
          { server, uri: "u" },
          "allow",
        ).decision;
      expect([decide("a"), decide("b")]).toEqual(["deny", "allow"]);
    }
  });

  it("treats a tool of an unknown server as a tool of every server that its name allows", () => {
    expect(decide("mcp__a__*", "mcp__a__x", [])).toBe("allow");
    expect(decide("mcp__a__*", "mcp__a__b__c", [])).toBe("deny");
    expect(decide("mcp__a__*", "mcp__a__b__c", [], "deny")).toBe("deny");
    expect(decide("mcp__a__b__*", "mcp__a__b__c", [], "deny")).toBe("deny");
    expect(decide("mcp__b__*", "mcp__a__b__c", [], "deny")).toBe("allow");
  });
});

describe.each(clisInTurn())("rules on MCP tools in a session on $name", ({ path }) => {
  it("do not allow a tool of the server a__b by `mcp__a__*`", async () => {
    const ran: string[] = [];
    const server = createSdkMcpServer({
      name: "a__b",
      alwaysLoad: true,
      tools: [
        tool("evil", "d", {}, async () => {
          ran.push("evil");
          return { content: [] };
        }),
      ],
    });
    const { session, model } = await open(path, [toolUse("mcp__a__b__evil", {}), "done"], {
      mcpServers: { a__b: server },
      rules: [{ tool: "mcp__a__*", decision: "allow" }],
    });
    await session.send("go").text();
    expect(model.calls.at(-1)?.toolResults).toMatchObject([{ isError: true }]);
    expect(ran).toEqual([]);
  });
});

describe("session.setMcpServers()", () => {
  it("refuses servers whose tools could have the same names", async () => {
    const server = { command: "true" };
    const { session, cli } = await openFake([], { mcpServers: { a: server } });
    const refused = { code: "invalid_options", message: expect.stringContaining("collides with") };
    await expect(session.setMcpServers({ a__b: server })).rejects.toMatchObject(refused);
    await expect(
      session.setMcpServers({ "my server": server, my_server: server }),
    ).rejects.toMatchObject(refused);
    const [process] = (await cli.recorded()).slice(-1);
    expect(process?.lines.join()).not.toContain("mcp_set_servers");
  });
});
