// The settings from the command line and from control requests.
import { readFileSync } from "node:fs";
import { argv } from "./scenario.mjs";

export const asksHost = flag("permission-prompt-tool") === "stdio";
export const streams = argv.includes("--include-partial-messages");
export const maxTurns = Number(flag("max-turns") ?? Number.POSITIVE_INFINITY);
/** The additional folders that tools may access. */
export const folders = flags("add-dir");

/** The servers of `--mcp-config`. Files are read at once, because the host removes them after the start. */
export const configuredServers = Object.keys(readJson(flag("mcp-config"))?.mcpServers ?? {});

export const current = {
  model: flag("model") ?? "fake-model",
  mode: flag("permission-mode") ?? "default",
  settings: readJson(flag("settings")),
  /** The JSON Schema for a value; undefined if the host asks for none. */
  schema: readJson(flag("json-schema")),
};

/** Undefined for all tools. */
export const tools = toolsOf(flag("tools"));
export const allowedRules = rulesOf("allowedTools", "allow");
export const disallowedRules = rulesOf("disallowedTools", "deny");

function toolsOf(list) {
  return list === undefined || list === "default" ? undefined : split(list);
}

function rulesOf(name, behavior) {
  return [...split(flag(name) ?? ""), ...(current.settings?.permissions?.[behavior] ?? [])];
}

/** Commas and spaces separate rules, except inside parentheses. */
function split(list) {
  return list.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? [];
}

function readJson(value) {
  if (value === undefined) return undefined;
  try {
    return JSON.parse(value.startsWith("{") ? value : readFileSync(value, "utf8"));
  } catch {
    return undefined; // The real CLI also silently drops what it cannot read.
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
