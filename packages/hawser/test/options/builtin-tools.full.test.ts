import { describe, expect, it } from "vitest";
import {
  BUILTIN_TOOL_NAMES,
  KNOWN_TOOL_NAMES,
  LEGACY_TOOL_NAME_ALIASES,
  type Options,
  sameCalls,
  toolRow,
} from "../../src/options/index.js";
import { openSession } from "../../src/session/index.js";
import { always } from "../../src/testing/index.js";
import type { JsonObject } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { world } from "../support/world.js";

interface OfferedTool {
  readonly name: string;
  readonly input_schema: JsonObject;
}

/** Ways to start the CLI by which it offers different tools. */
const STARTS: readonly {
  readonly name: string;
  readonly env: object;
  readonly options: Options;
}[] = [
  { name: "as it is", env: {}, options: {} },
  {
    name: "with every tool that a variable switches on",
    env: {
      CLAUDE_CODE_USE_POWERSHELL_TOOL: "1",
      CLAUDE_CODE_ENABLE_TASKS: "1",
      CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
      CLAUDE_CODE_BRIEF: "1",
      CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1",
      ENABLE_LSP_TOOL: "1",
    },
    options: {},
  },
  { name: "with the tool REPL", env: { CLAUDE_CODE_REPL: "1" }, options: {} },
  { name: "with every known tool asked for", env: {}, options: { tools: [...BUILTIN_TOOL_NAMES] } },
];

/** The tools that the model is offered, as the API receives them. */
async function offered(cliPath: string, extra: object, more: Options): Promise<OfferedTool[]> {
  // Without the search for tools, the CLI sends the model every tool with its schema.
  const place = await world(cliPath, always("done"), {
    extra: { ENABLE_TOOL_SEARCH: "false", ...extra },
  });
  const session = await openSession({
    ...place.options,
    canUseTool: () => ({ behavior: "deny", message: "no" }),
    ...more,
  });
  let named: readonly unknown[] = [];
  const turn = session.send("go");
  for await (const message of turn) {
    if (message.type === "system" && "tools" in message) named = message["tools"] as unknown[];
  }
  await session.close();
  const tools = Object(place.model.calls[0]?.body)["tools"] as OfferedTool[];
  // What the session announces and what the model is offered are the same tools.
  const newest = (name: unknown) => LEGACY_TOOL_NAME_ALIASES[String(name)] ?? name;
  expect(named.map(newest).sort()).toEqual(tools.map(({ name }) => newest(name)).sort());
  return tools;
}

/** The names of all fields of a schema, those of objects and lists inside included. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap(fieldsOf);
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key !== "properties") return fieldsOf(value);
    return Object.entries(value as object).flatMap(([name, inner]) => [name, ...fieldsOf(inner)]);
  });
}

/** `scriptPath` is the words `script` and `path`. */
function hasWord(field: string, words: readonly string[]): boolean {
  const parts = field
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/);
  return parts.some((part) => words.includes(part.replace(/s$/, "")));
}

const COMMAND = ["command", "cmd", "script", "code", "shell", "exec", "execute", "eval", "program"];
const PATH = ["path", "file", "filename", "dir", "directory", "directorie", "folder", "attachment"];

/** What the table does not know of a tool, in words. */
function unknownOf({ name, input_schema }: OfferedTool): string[] {
  const { commands = [], paths = [], reviewed = {} } = toolRow(name);
  const fields = fieldsOf(input_schema);
  const looksOpen = fields.filter(
    (field) =>
      !(field in reviewed) &&
      ((hasWord(field, COMMAND) && ![...commands, ...paths].includes(field)) ||
        (hasWord(field, PATH) && !paths.includes(field))),
  );
  const gone = [...commands, ...paths].filter((field) => !fields.includes(field));
  return [
    ...(KNOWN_TOOL_NAMES.includes(name) ? [] : [`${name} is not known`]),
    ...looksOpen.map((field) => `${name}.${field} is not accounted for`),
    ...gone.map((field) => `${name}.${field} is not a field of the tool`),
  ];
}

describe.each(clisInTurn())("BUILTIN_TOOLS and the tools of $name", ({ path }) => {
  it.each(STARTS)("accounts for every tool of the CLI $name", async ({ env, options }) => {
    const tools = await offered(path, env, options);
    expect(tools.length).toBeGreaterThan(5);
    expect(tools.flatMap(unknownOf)).toEqual([]);
  });
});

describe("BUILTIN_TOOLS", () => {
  it("reports a tool that it does not know, and a field that looks like a command or a path", () => {
    const input_schema = {
      type: "object",
      properties: { runScript: {}, list: { items: { properties: { cmd: {}, outDir: {} } } } },
    };
    expect(unknownOf({ name: "Terminal", input_schema })).toEqual([
      "Terminal is not known",
      "Terminal.runScript is not accounted for",
      "Terminal.cmd is not accounted for",
      "Terminal.outDir is not accounted for",
    ]);
  });

  it("gives the calls of other tools that do the same", () => {
    const command = "rm -r notes";
    expect(sameCalls({ tool: "Bash", input: { command } })).toEqual([]);
    expect(sameCalls({ tool: "Monitor", input: { command } })).toEqual([
      { tool: "Bash", input: { command } },
    ]);
    expect(sameCalls({ tool: "Monitor", input: { ws: { url: "ws://a" } } })).toEqual([
      { tool: "WebFetch", input: { url: "ws://a" } },
    ]);
    expect(sameCalls({ tool: "PowerShell", input: { command } })).toEqual([
      { tool: "Bash", input: { command } },
    ]);
    expect(sameCalls({ tool: "Grep", input: { pattern: "x" } })).toEqual([
      { tool: "Read", input: { file_path: "." } },
    ]);
    const edit = { file_path: "/a", old_string: "x", new_string: "y" };
    expect(sameCalls({ tool: "Edit", input: edit })).toEqual([
      { tool: "Write", input: { file_path: "/a", content: "y" } },
    ]);
    expect(sameCalls({ tool: "mcp__a__b", input: { command } })).toEqual([]);
    expect(sameCalls({ tool: "constructor", input: { command } })).toEqual([]);
  });
});
