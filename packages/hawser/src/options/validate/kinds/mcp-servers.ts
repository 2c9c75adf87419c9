import { isObject, type Kind, kind, type Problem } from "../../../base/index.js";
import type { McpServerConfig } from "../../types/mcp-config.js";

export type McpServers = Readonly<Record<string, McpServerConfig>>;

/** The servers of the option `mcpServers`: the path of a file, or the servers by name. */
export type McpSource =
  | { readonly from: "file"; readonly path: string }
  | { readonly from: "map"; readonly servers: McpServers };

/** Throws a SyntaxError for text that begins like JSON but is not valid JSON. */
export function readMcpServers(value: McpServers | string): McpSource {
  if (typeof value !== "string") return { from: "map", servers: unwrap(value) };
  if (!/^\s*[{[]/.test(value)) return { from: "file", path: value };
  return { from: "map", servers: unwrap(JSON.parse(value)) };
}

export const mcpServers: Kind = {
  name: "map, path or JSON text",
  *problems(value, path) {
    if (typeof value === "string") yield* textProblems(value, path);
    else if (isObject(value)) yield* mapProblems(value as McpServers, path);
    else yield kind.notA("an object of servers by name, a path, or JSON text", value, path);
  },
};

/**
 * The prefix of all tool names of a server. The CLI replaces some characters, and so does this
 * function.
 */
export function mcpToolPrefix(server: string): string {
  return `mcp__${server.replace(/[^a-zA-Z0-9_-]/g, "_")}__`;
}

/**
 * Accepts both forms: the servers by name, and an object with them in `mcpServers` as in a file.
 */
function unwrap(map: McpServers): McpServers {
  const { mcpServers: inner, ...rest } = map as Readonly<Record<string, unknown>>;
  const wrapped = isObject(inner) && Object.keys(rest).length === 0 && !isServer(inner);
  return wrapped ? (inner as McpServers) : map;
}

function isServer(value: Readonly<Record<string, unknown>>): boolean {
  return ["command", "url", "type"].some((field) => typeof value[field] === "string");
}

function* textProblems(text: string, path: string): Iterable<Problem> {
  let source: McpSource;
  try {
    source = readMcpServers(text);
  } catch {
    // The error of JSON.parse quotes the text, and the text may hold a secret.
    return yield { path, message: "begins like JSON but is not valid JSON" };
  }
  if (source.from === "file") yield* kind.argument.problems(text, path);
  else yield* mapProblems(source.servers, path);
}

function* mapProblems(map: McpServers, path: string): Iterable<Problem> {
  yield* kind.recordOf(server).problems(unwrap(map), path);
}

const server: Kind = {
  name: "MCP server",
  *problems(value, path) {
    if (!isObject(value)) return yield kind.notA("an object", value, path);
    if (value["type"] === undefined && has(value, "url") && !has(value, "command")) {
      const hint = 'Add `type: "http"` or `type: "sse"`.';
      return yield { path, message: "has a `url` but no `type`", hint };
    }
    const type = value["type"] ?? "stdio";
    const found = SERVERS.get(type);
    if (found !== undefined) yield* found.problems(value, path);
    else yield* kind.oneOf("stdio", "http", "sse", "sdk").problems(type, `${path}.type`);
    if (type !== "sdk") yield* kind.json.problems(value, path);
  },
};

function has(server: Readonly<Record<string, unknown>>, field: string): boolean {
  return typeof server[field] === "string";
}

const texts = kind.recordOf(kind.string);
const remote = kind.shape({ url: kind.argument, headers: texts }, ["url"]);
const SERVERS: ReadonlyMap<unknown, Kind> = new Map([
  [
    "stdio",
    kind.shape({ command: kind.argument, args: kind.listOf(kind.string), env: texts }, ["command"]),
  ],
  ["http", remote],
  ["sse", remote],
  ["sdk", kind.shape({ name: kind.string })],
]);
