import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSdkMcpServer, tool } from "../../src/mcp/index.js";
import type { McpServerConfig, Options } from "../../src/options/index.js";
import { type AnswerBlock, toolUse } from "../../src/testing/index.js";
import type { World } from "../support/world.js";

/** Options, and the tool calls that the model tries with them. */
export interface Row {
  readonly name: string;
  readonly options: (place: World, fired: string[]) => Options;
  readonly tries: (place: World) => readonly AnswerBlock[];
  /** Whether a spare can get all of these options before a call. */
  readonly isInitializable: boolean;
}

const bash = (command: string, i: number) =>
  toolUse("Bash", { command, description: "d" }, { id: `toolu_${i}` });

const SCHEMA = {
  type: "object",
  properties: { word: { type: "string", description: "The word" } },
  required: ["word"],
};

/** Options that travel at the start, late, and by initialize, each in several ways at once. */
export const ROWS: readonly Row[] = [
  {
    name: "model, prompt, schema and agents",
    isInitializable: true,
    options: () => ({
      model: "claude-haiku-4-5",
      effort: "low",
      systemPrompt: ["First part.", "Second part."],
      schema: SCHEMA,
      agents: { helper: { description: "Helps.", prompt: "Help." } },
    }),
    tries: () => [toolUse("StructuredOutput", { word: "it" }, { id: "toolu_0" })],
  },
  {
    name: "rules, directories, mode and hooks",
    isInitializable: true,
    options: ({ home }, fired) => ({
      preset: "agent",
      settingSources: [],
      model: "claude-sonnet-4-5",
      systemPrompt: { type: "preset", preset: "claude_code", append: "Appended." },
      tools: ["Bash", "Read", "Write", "WebFetch", "Agent"],
      allowedTools: ["Bash(touch one)", "Bash(echo *)"],
      disallowedTools: [
        "Write",
        "WebFetch(*)",
        "Agent(other)",
        "Bash(touch two)",
        "Bash(echo no *)",
      ],
      additionalDirectories: [join(home, "beside")],
      agents: {
        helper: { description: "Helps.", prompt: "Help." },
        other: { description: "Is of no help.", prompt: "Do not." },
      },
      permissionMode: "acceptEdits",
      hooks: {
        UserPromptSubmit: [{ hooks: [() => note(fired, "UserPromptSubmit")] }],
        PreToolUse: [{ matcher: "Bash", hooks: [() => note(fired, "PreToolUse")] }],
      },
    }),
    tries: ({ home, configDir }) => [
      bash("touch one", 0),
      bash("touch two", 1),
      bash("echo no way", 2),
      bash("kill -0 1", 3),
      toolUse("Read", { file_path: join(home, "beside", "note") }, { id: "toolu_4" }),
      toolUse("Read", { file_path: join(configDir, "settings.json") }, { id: "toolu_5" }),
    ],
  },
  {
    name: "servers, settings and callbacks",
    isInitializable: false,
    options: ({ cwd }, fired) => ({
      mcpServers: { outside: outside(cwd), inside: inside(fired) },
      tools: ["Bash"],
      allowedTools: ["mcp__outside", "mcp__inside"],
      // A rule that is given twice counts once.
      settings: { permissions: { deny: ["Bash(touch one)"] } },
      disallowedTools: ["Bash(touch one)", "Bash(touch two)"],
      rules: [{ tool: "Bash", input: { command: "touch four" }, decision: "deny" }],
      canUseTool: (_tool, { command }) => {
        note(fired, `asked for ${command}`);
        return { behavior: "allow" };
      },
    }),
    tries: () => [
      toolUse("mcp__outside__say", {}, { id: "toolu_0" }),
      toolUse("mcp__inside__say", {}, { id: "toolu_1" }),
      bash("touch three", 2),
      bash("touch four", 3),
      bash("touch one", 4),
      bash("touch two", 5),
    ],
  },
];

/** Creates the files that the rows name. */
export function furnish({ home }: World): void {
  mkdirSync(join(home, "beside"));
  writeFileSync(join(home, "beside", "note"), "noted");
}

function note(fired: string[], what: string): undefined {
  fired.push(what);
}

function inside(fired: string[]): McpServerConfig {
  const say = tool("say", "Says.", {}, async () => {
    note(fired, "inside");
    return { content: [{ type: "text" as const, text: "said inside" }] };
  });
  return createSdkMcpServer({ name: "inside", tools: [say], alwaysLoad: true });
}

function outside(cwd: string): McpServerConfig {
  const path = join(cwd, "server.mjs");
  writeFileSync(path, SERVER);
  return { command: process.execPath, args: [path] };
}

const SERVER = `
import { createInterface } from "node:readline";
const tools = [
  { name: "say", inputSchema: { type: "object" }, _meta: { "anthropic/alwaysLoad": true } },
];
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const { protocolVersion } = params;
    const serverInfo = { name: "outside", version: "1.0.0" };
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") send({ id, result: { tools } });
  else if (method === "tools/call") {
    send({ id, result: { content: [{ type: "text", text: "said outside" }] } });
  } else if (id !== undefined) send({ id, error: { code: -32601, message: "no such method" } });
}
`;
