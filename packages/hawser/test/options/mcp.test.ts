import { describe, expect, it } from "vitest";
import { buildInvocation, type Options } from "../../src/options/index.js";
import { added, HOST, NEWEST } from "./facts.helper.js";

const FILE = "/tmp/hawser-1/mcp.json";
const server = { command: "node", args: ["s.js"] };
const byFile = (servers: object) => ({
  flags: ["--mcp-config", FILE, "--strict-mcp-config"],
  files: { [FILE]: { mcpServers: servers } },
});

describe("mcpServers", () => {
  it.each<[string, Options["mcpServers"] & {}]>([
    ["a bare map", { a: server }],
    ["a map in its wrapper", { mcpServers: { a: server } } as never],
    ["JSON text of a bare map", JSON.stringify({ a: server })],
    ["JSON text of the wrapper", ` ${JSON.stringify({ mcpServers: { a: server } })}`],
  ])("are wrapped once: %s", (_, mcpServers) => {
    expect(added({ mcpServers })).toEqual(byFile({ a: server }));
  });

  it("may contain a server called mcpServers", () => {
    expect(added({ mcpServers: { mcpServers: server } })).toEqual(byFile({ mcpServers: server }));
  });

  it("of both kinds are passed separately", () => {
    const mcpServers = { a: server, own: { type: "sdk", name: "own", instance: {} } } as const;
    expect(added({ mcpServers })).toEqual({
      ...byFile({ a: server }),
      initialize: { sdkMcpServers: ["own"] },
    });
  });

  it("by path never become a flag", () => {
    const flags = ["--mcp-config=-m.json", "--strict-mcp-config"];
    expect(added({ mcpServers: "-m.json" })).toEqual({ flags });
  });

  it("are not strict with strictMcpConfig: false", () => {
    const flags = ["--mcp-config", "m.json"];
    expect(added({ mcpServers: "m.json", strictMcpConfig: false })).toEqual({ flags });
  });

  it("are strict with one flag only", () => {
    const { argv } = buildInvocation({ mcpServers: "m", strictMcpConfig: true }, NEWEST, HOST);
    expect(argv.filter((token) => token === "--strict-mcp-config")).toHaveLength(1);
  });

  it("list their secrets, without harmless headers", () => {
    const mcpServers = {
      a: { command: "x", env: { ANY: "value-1" } },
      b: {
        type: "sse",
        url: "https://me:value-2@example.com/?api_key=value-3&page=value-4",
        headers: { "X-Team": "value-5", "Content-Type": "application/json" },
      },
    } as const;
    const { secrets, files, argv } = buildInvocation({ mcpServers }, NEWEST, HOST);
    expect(secrets).toEqual(["value-1", "value-5", "value-2", "value-3"]);
    expect(argv.join(" ")).not.toMatch(/value-/);
    expect(files.map(({ keepUntil }) => keepUntil)).toEqual(["initialized"]);
  });
});
