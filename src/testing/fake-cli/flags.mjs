// What the command line and control requests have set.
import { readFileSync } from "node:fs";
import { argv } from "./scenario.mjs";

export const asksHost = flag("permission-prompt-tool") === "stdio";
export const streams = argv.includes("--include-partial-messages");

export const current = {
  model: flag("model") ?? "fake-model",
  mode: flag("permission-mode") ?? "default",
  settings: readSettings(),
  wantsValue: flag("json-schema") !== undefined,
};

const allowed = new Set([
  ...(flag("allowedTools") ?? "").split(","),
  ...(current.settings?.permissions?.allow ?? []),
]);

/** Whether a tool needs no permission. Rules about its input are not understood. */
export function isAllowed(name) {
  const [, server] = /^(mcp__.+?)__/.exec(name) ?? [];
  const names = [name, server, `${server}__*`];
  return current.mode === "bypassPermissions" || names.some((each) => allowed.has(each));
}

/** What the host said beside yes. */
export function applyUpdates(updates = []) {
  for (const { type, mode, behavior, rules } of updates) {
    if (type === "setMode") current.mode = mode;
    if (type !== "addRules" || behavior !== "allow") continue;
    for (const rule of rules) if (rule.ruleContent === undefined) allowed.add(rule.toolName);
  }
}

/** The servers of `--mcp-config`, which are taken to be up. */
export function configuredServers() {
  return Object.keys(readJson(flag("mcp-config"))?.mcpServers ?? {});
}

/** Read at once: the host removes the file when the CLI is up. */
function readSettings() {
  return readJson(flag("settings"));
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
  const place = argv.findIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  if (place === -1) return undefined;
  const [, value] = /=(.*)$/s.exec(argv[place]) ?? [];
  return value ?? argv[place + 1];
}
