// What the command line and control requests have set.
import { readFileSync } from "node:fs";
import { argv } from "./scenario.mjs";

export const asksHost = flag("permission-prompt-tool") === "stdio";
export const streams = argv.includes("--include-partial-messages");
export const maxTurns = Number(flag("max-turns") ?? Number.POSITIVE_INFINITY);
/** The folders beside the working one that count as its own. */
export const folders = flags("add-dir");

/** The servers of `--mcp-config`. Files are read at once: the host removes them when the CLI is up. */
export const configuredServers = Object.keys(readJson(flag("mcp-config"))?.mcpServers ?? {});

export const current = {
  model: flag("model") ?? "fake-model",
  mode: flag("permission-mode") ?? "default",
  settings: readJson(flag("settings")),
  /** What a value has to fit; undefined if the host wants none. */
  schema: readJson(flag("json-schema")),
};

/** Undefined: all that there are. */
export const tools = toolsOf(flag("tools"));
export const allowedRules = rulesOf("allowedTools", "allow");
export const disallowedRules = rulesOf("disallowedTools", "deny");

function toolsOf(list) {
  return list === undefined || list === "default" ? undefined : split(list);
}

function rulesOf(name, behavior) {
  return [...split(flag(name) ?? ""), ...(current.settings?.permissions?.[behavior] ?? [])];
}

/** Commas and spaces part rules, but not inside of brackets. */
function split(list) {
  return list.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? [];
}

function readJson(value) {
  if (value === undefined) return undefined;
  try {
    return JSON.parse(value.startsWith("{") ? value : readFileSync(value, "utf8"));
  } catch {
    return undefined; // As the real CLI, which drops in silence what it cannot read.
  }
}

function flag(name) {
  return flags(name)[0];
}

function flags(name) {
  return argv.flatMap((arg, place) => {
    if (arg === `--${name}`) return argv[place + 1] ?? [];
    return arg.startsWith(`--${name}=`) ? arg.slice(name.length + 3) : [];
  });
}
