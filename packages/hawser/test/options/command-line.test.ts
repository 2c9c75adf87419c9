import { describe, expect, it } from "vitest";
import {
  buildInvocation,
  type CliFacts,
  type Invocation,
  type Options,
} from "../../src/options/index.js";
import { FIXED, HOST, NEWEST, OLDER } from "./facts.helper.js";
import { refusalOf } from "./refusal.helper.js";

function bytesOf({ file, argv }: Invocation): number {
  return [file, ...argv].reduce((sum, token) => sum + Buffer.byteLength(token) + 1, 0);
}

const tools = (n: number, prefix: string) =>
  Array.from({ length: n }, (_, i) => `${prefix}${i}__*`);
const ALLOWED = tools(600, "mcp__server_");
const DENIED = tools(600, "mcp__other_");
const DIRECTORIES = Array.from({ length: 60 }, (_, i) => `/home/somebody/projects/number-${i}`);
const AGENTS = Object.fromEntries(
  Array.from({ length: 50 }, (_, i) => [
    `agent-${i}`,
    { description: "d", prompt: "p".repeat(4096) },
  ]),
);
const SCHEMA = {
  type: "object",
  properties: Object.fromEntries(
    Array.from({ length: 4000 }, (_, i) => [`field_${i}`, { type: "string", description: "text" }]),
  ),
};
const SERVERS = {
  a: { command: "node", args: ["--key", "canary-a"], env: { K: "canary-b" } },
  b: { type: "http", url: "http://127.0.0.1/?t=canary-c", headers: { Authorization: "canary-d" } },
} as const;

describe.each([
  ["newest", NEWEST],
  ["older", OLDER],
  ["unknown", { path: "/usr/bin/claude" } satisfies CliFacts],
])("the command line for the %s CLI", (_, cli) => {
  it("stays short with long options, and contains no secret", () => {
    const systemPrompt = `canary-e ${"x".repeat(2 * 1024 * 1024)}`;
    const options: Options = {
      systemPrompt,
      allowedTools: ALLOWED,
      disallowedTools: DENIED,
      additionalDirectories: DIRECTORIES,
      outputFormat: { type: "json_schema", schema: SCHEMA },
      agents: AGENTS,
      mcpServers: SERVERS,
      settings: { env: { A_TOKEN: "canary-f" } },
      env: { ANY_SECRET: "canary-g" },
      apiKey: "canary-h",
    };
    const invocation = buildInvocation(options, cli, HOST);
    expect(invocation.argv).toEqual([
      ...FIXED,
      "--permission-mode=default",
      "--mcp-config",
      "/tmp/hawser-1/mcp.json",
      "--strict-mcp-config",
      "--settings",
      "/tmp/hawser-1/settings.json",
    ]);
    expect(invocation.argv.join(" ")).not.toContain("canary");
    expect(bytesOf(invocation)).toBeLessThan(8192);
    expect(invocation.initialize).toEqual({
      subtype: "initialize",
      systemPrompt: [systemPrompt],
      jsonSchema: SCHEMA,
      agents: AGENTS,
    });
    const [mcp, settings] = invocation.files.map(({ contents }) => JSON.parse(contents));
    expect(mcp).toEqual({ mcpServers: SERVERS });
    expect(settings).toEqual({
      env: { A_TOKEN: "canary-f" },
      permissions: { allow: ALLOWED, deny: DENIED, additionalDirectories: DIRECTORIES },
    });
    expect(invocation.expectedDenyRules).toBe(600);
    expect(invocation.secrets).toEqual(
      expect.arrayContaining(["canary-b", "canary-d", "canary-f", "canary-g", "canary-h"]),
    );
  });

  it("contains lists that fit", () => {
    const { argv, files } = buildInvocation({ allowedTools: ALLOWED.slice(0, 300) }, cli, HOST);
    expect(argv.at(-1)).toBe(`--allowedTools=${ALLOWED.slice(0, 300).join(",")}`);
    expect(files).toEqual([]);
  });
});

describe("the limit of 8 KiB for the command line", () => {
  const base = bytesOf(buildInvocation({}, NEWEST, HOST));
  const room = 8191 - base - "--allowedTools=".length - 1;

  it("is exact to the byte, and counts bytes, not characters", () => {
    const fits = buildInvocation({ allowedTools: ["x".repeat(room)] }, NEWEST, HOST);
    expect([bytesOf(fits), fits.files]).toEqual([8191, []]);
    const over = buildInvocation({ allowedTools: ["x".repeat(room + 1)] }, NEWEST, HOST);
    expect(over.files).toHaveLength(1);
    const wide = buildInvocation({ allowedTools: ["ü".repeat(room / 2 + 1)] }, NEWEST, HOST);
    expect(wide.files).toHaveLength(1);
  });

  it.each<[string, Options]>([
    ["model", { model: "x".repeat(9000) }],
    ["tools", { tools: ["x".repeat(9000)], allowedTools: ["y".repeat(9000)] }],
    ["extraArgs", { extraArgs: { name: "x".repeat(9000) } }],
    ["resume", { resume: "x".repeat(9000), model: "y".repeat(500) }],
    ["mcpServers", { mcpServers: `/${"x".repeat(9000)}` }],
  ])("is an error that names %s, which cannot be passed otherwise", (name, options) => {
    const error = refusalOf(options);
    expect(error?.code).toBe("argument_too_long");
    expect(error?.message).toMatch(new RegExp(`^${name} is too long: the command line would take`));
    expect(error?.issues?.map(({ path }) => path)).toEqual([name]);
  });

  it("is an error that names cliPath, if the path is the longest", () => {
    const error = refusalOf({}, { path: `/${"x".repeat(9000)}`, version: [2, 1, 325] });
    expect([error?.code, error?.issues?.[0]?.path]).toEqual(["argument_too_long", "cliPath"]);
  });

  it("moves plugins and managedSettings to initialize if the CLI supports it", () => {
    const plugins = Array.from({ length: 200 }, (_, i) => ({
      type: "local" as const,
      path: `/plugins/with/a/long/path/number-${i}-${"x".repeat(30)}`,
    }));
    const { argv, initialize } = buildInvocation({ plugins }, NEWEST, HOST);
    expect([argv.at(-1), initialize.plugins]).toEqual([expect.stringMatching(/^--/), plugins]);
    expect(refusalOf({ plugins }, OLDER)?.issues?.[0]?.path).toBe("plugins");

    const managedSettings = { permissions: { deny: DENIED } };
    expect(buildInvocation({ managedSettings }, NEWEST, HOST).initialize.managedSettings).toEqual(
      managedSettings,
    );
    expect(refusalOf({ managedSettings }, OLDER)?.issues?.[0]?.path).toBe("managedSettings");
  });
});
