import { differsByOne, isObject, kind, objectOf, type Problem } from "../../base/index.js";
import type { Options } from "../options.js";
import { KNOWN_TOOL_NAMES } from "../tools/builtin-tools.js";
import type { HookEvent } from "../types/hooks.js";
import { mcpToolPrefix, readMcpServers } from "./kinds/mcp-servers.js";
import { parseSettings } from "./settings-reading.js";

type Given = Readonly<Record<string, unknown>>;

/**
 * Finds guards that would be open because of a name: a misspelled tool, and MCP servers whose tools
 * get the same names. The CLI reports neither.
 */
export function* openGuards(given: Options): Iterable<Problem> {
  const options = { ...given };
  const known = knownTo(options);
  for (const { path, name } of guardingNames(options)) yield* misspelt(name, path, known);
  yield* collidingServers(serverNames(options["mcpServers"]), "mcpServers");
}

/** Finds misspelled names in `allowedTools`. They open nothing, but they allow nothing either. */
export function* uselessAllowances(given: Options): Iterable<Problem> {
  const options = { ...given };
  const known = knownTo(options);
  const names = namesIn(options["allowedTools"], "allowedTools");
  for (const { path, name } of names) yield* misspelt(toolOf(name), path, known);
}

/**
 * Finds servers whose tools could have the same names, such as `a` and `a__b`, or `a b` and `a_b`.
 */
export function* collidingServers(names: readonly string[], path: string): Iterable<Problem> {
  for (const [i, name] of names.entries()) {
    const prefix = mcpToolPrefix(name);
    const other = names.slice(0, i).find((earlier) => {
      const taken = mcpToolPrefix(earlier);
      return taken.startsWith(prefix) || prefix.startsWith(taken);
    });
    if (other === undefined) continue;
    yield {
      path: kind.at(path, name),
      message: `collides with ${kind.at(path, other)}: the CLI could give their tools the same names`,
      hint: "Rename one of the servers so that neither name is the start of the other before `__`.",
    };
  }
}

interface Named {
  readonly path: string;
  readonly name: string;
}

function* guardingNames(options: Given): Iterable<Named> {
  const { disallowedTools, tools, rules, hooks, agents, settings } = options;
  for (const { path, name } of namesIn(disallowedTools, "disallowedTools")) {
    yield { path, name: toolOf(name) };
  }
  yield* namesIn(tools, "tools");
  for (const [i, rule] of listOf(rules).entries()) {
    if (isObject(rule) && typeof rule["tool"] === "string") {
      yield { path: `rules[${i}].tool`, name: rule["tool"] };
    }
  }
  yield* matcherNames(hooks);
  for (const [agent, definition] of Object.entries(objectOf(agents))) {
    const path = kind.at("agents", agent);
    yield* namesIn(objectOf(definition)["tools"], `${path}.tools`);
    yield* namesIn(objectOf(definition)["disallowedTools"], `${path}.disallowedTools`);
  }
  const inline = typeof settings === "string" ? parseSettings(settings) : settings;
  const permissions = objectOf(objectOf(inline)["permissions"]);
  for (const list of ["deny", "ask"]) {
    for (const { path, name } of namesIn(permissions[list], `settings.permissions.${list}`)) {
      yield { path, name: toolOf(name) };
    }
  }
}

/** The tool names in a matcher: a name, names separated by `|`, or the whole names in a pattern. */
function* matcherNames(hooks: unknown): Iterable<Named> {
  for (const event of TOOL_EVENTS) {
    for (const [i, entry] of listOf(objectOf(hooks)[event]).entries()) {
      const matcher = objectOf(entry)["matcher"];
      if (typeof matcher !== "string") continue;
      for (const part of matcher.split("|")) {
        const name = part.replace(/^[\s^(]+|[\s$)]+$/g, "");
        if (/^\w+$/.test(name)) yield { path: `hooks.${event}[${i}].matcher`, name };
      }
    }
  }
}

/** The events whose matcher matches the name of a tool. */
const TOOL_EVENTS: readonly HookEvent[] = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "PermissionDenied",
];

function* misspelt(name: string, path: string, known: readonly string[]): Iterable<Problem> {
  if (name.startsWith("mcp__") || known.includes(name)) return;
  const meant = name.includes("*")
    ? likeCase(name, known)
    : known.find((each) => differsByOne(name, each));
  if (meant === undefined) return;
  const isSameWord = name.toLowerCase() === meant.toLowerCase();
  const hint = `Use \`${meant}\`${isSameWord ? ": tool names are case-sensitive" : ""}.`;
  yield { path, message: `names no tool: "${name}". Did you mean \`${meant}\`?`, hint };
}

/** The tool that a pattern matches only if case is ignored. */
function likeCase(pattern: string, known: readonly string[]): string | undefined {
  // A name of hostile length is not a typing mistake.
  if (pattern.length > LONGEST) return undefined;
  const source = pattern
    .split(/\*+/)
    .map((part) => part.replace(/[^\w]/g, "\\$&"))
    .join(".*");
  const fits = (flags: string) => known.find((name) => new RegExp(`^${source}$`, flags).test(name));
  return fits("") === undefined ? fits("i") : undefined;
}

const LONGEST = 64;

/** The built-in tools, and the names that `toolAliases` adds. */
function knownTo({ toolAliases }: Given): readonly string[] {
  return [...KNOWN_TOOL_NAMES, ...Object.keys(objectOf(toolAliases))];
}

/** The names of the servers; none for a file, which is not read here. */
function serverNames(value: unknown): readonly string[] {
  if (typeof value !== "string" && !isObject(value)) return [];
  try {
    const source = readMcpServers(value as never);
    return source.from === "map" ? Object.keys(source.servers) : [];
  } catch {
    return []; // The check of the option reports the problem.
  }
}

function namesIn(value: unknown, path: string): readonly Named[] {
  return listOf(value).flatMap((name, i) =>
    typeof name === "string" ? [{ path: `${path}[${i}]`, name }] : [],
  );
}

/** The tool of a rule such as `Bash(git *)`. */
function toolOf(rule: string): string {
  return rule.split("(", 1)[0] ?? "";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
