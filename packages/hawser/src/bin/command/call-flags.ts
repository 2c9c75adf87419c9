import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { closestName, omitUndefined } from "../../base/index.js";
import type { CompleteOptions } from "../../complete/index.js";
import { type Options, PERMISSION_MODES } from "../../options/index.js";
import { type Flags, type Given, usageError } from "./flags.js";

/** The flags about a call that `ask`, `chat` and `explain` share. */
export const CALL_FLAGS = {
  model: { short: "m", value: "name", help: "Model or alias to use, such as sonnet" },
  system: {
    short: "s",
    value: "text",
    mayBeEmpty: true,
    help: "System prompt; @file reads it from a file",
  },
  tools: {
    short: "t",
    value: "names",
    mayBeEmpty: true,
    help: "Tools that the model can use: a list such as Read,Grep, or the word all",
  },
  allow: {
    value: "rule",
    many: true,
    help: "Tool calls to allow without asking: Read, 'Bash(npm test)'; repeatable",
  },
  deny: {
    value: "rule",
    many: true,
    help: "Tool calls to deny: WebFetch, 'Read(./.env)'; repeatable",
  },
  mode: {
    value: "mode",
    help: "Permission mode: default, acceptEdits, plan, dontAsk, auto, bypassPermissions",
  },
  agent: {
    value: "name",
    optional: true,
    help: "Give the model Claude Code's tools and prompt; with =name, those of an agent",
  },
  mcp: { value: "file", help: "Use the MCP servers in a file such as .mcp.json" },
  trust: { help: "Use the folder's own settings, MCP servers, skills and agents in this run" },
  cwd: { short: "C", value: "folder", help: "Working directory (default: the current folder)" },
  "add-dir": {
    value: "folder",
    many: true,
    help: "Another folder that tools may access; repeatable",
  },
  "max-turns": { value: "n", help: "Stop after this many rounds (requests to the model)" },
  budget: { value: "dollars", help: "Stop when this much has been spent" },
  effort: { value: "level", help: "Effort level of the model: low, medium, high, xhigh, max" },
  resume: { short: "r", value: "session", help: "Continue the session with this id or title" },
  continue: { short: "c", help: "Continue the latest session of the folder" },
  fork: { help: "With --resume or --continue: continue in a copy of the session" },
  cli: {
    value: "path",
    help: "Path of the claude executable (default: HAWSER_CLI, else a search)",
  },
} as const satisfies Flags;

/** The options that the flags set. A flag that was not given sets nothing, so that the default applies. */
export function callOptions(given: Given<typeof CALL_FLAGS>): Options {
  const { tools, agent, mcp, cwd, budget, effort, cli } = given;
  const maxTurns = given["max-turns"];
  const options: Record<keyof CallOptions, unknown> = {
    model: given.model,
    systemPrompt: given.system === undefined ? undefined : textOrFile(given.system),
    preset: agent === undefined ? undefined : "agent",
    agent: agent || undefined,
    tools: tools === undefined ? undefined : toolsOf(tools),
    allowedTools: someOf(given.allow),
    disallowedTools: someOf(given.deny),
    permissionMode: given.mode === undefined ? undefined : modeOf(given.mode),
    mcpServers: mcp === undefined ? undefined : existing("--mcp", mcp),
    trustProject: given.trust || undefined,
    cwd: cwd === undefined ? undefined : resolve(cwd),
    additionalDirectories: someOf(given["add-dir"].map((folder) => resolve(folder))),
    maxTurns: maxTurns === undefined ? undefined : countOf("--max-turns", maxTurns),
    maxBudgetUsd: budget === undefined ? undefined : dollarsOf("--budget", budget),
    effort,
    resume: given.resume,
    continue: given.continue || undefined,
    forkSession: given.fork || undefined,
    cliPath: cli,
  };
  // The library checks the values together with all other options.
  return omitUndefined(options) as Options;
}

/** Accepts only known modes, because the CLI would refuse a mistyped one only after its start. */
function modeOf(mode: string): string {
  if (PERMISSION_MODES.some((known) => known === mode)) return mode;
  const near = closestName(mode, PERMISSION_MODES);
  const meant = near === undefined ? "" : ` Did you mean ${near}?`;
  throw usageError(
    `There is no permission mode ${mode}.${meant}`,
    `Use one of: ${PERMISSION_MODES.join(", ")}.`,
  );
}

/** The flag that sets an option of the library. */
export const FLAG_OF = {
  model: "model",
  systemPrompt: "system",
  preset: "agent",
  agent: "agent",
  tools: "tools",
  allowedTools: "allow",
  disallowedTools: "deny",
  permissionMode: "mode",
  mcpServers: "mcp",
  trustProject: "trust",
  cwd: "cwd",
  additionalDirectories: "add-dir",
  maxTurns: "max-turns",
  maxBudgetUsd: "budget",
  effort: "effort",
  resume: "resume",
  continue: "continue",
  forkSession: "fork",
  cliPath: "cli",
} as const satisfies Record<keyof CallOptions, keyof typeof CALL_FLAGS>;

type CallOptions = Pick<
  CompleteOptions,
  | "model"
  | "systemPrompt"
  | "preset"
  | "agent"
  | "tools"
  | "allowedTools"
  | "disallowedTools"
  | "permissionMode"
  | "mcpServers"
  | "trustProject"
  | "cwd"
  | "additionalDirectories"
  | "maxTurns"
  | "maxBudgetUsd"
  | "effort"
  | "resume"
  | "continue"
  | "forkSession"
  | "cliPath"
>;

/** `90`, `90s`, `5m`, `1h`, `30d`, `500ms` in milliseconds. */
export function durationOf(flag: string, text: string): number {
  const [, number = "", unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  if (!(Number(number) > 0))
    throw usageError(`${flag} must be a time such as 90s, 5m or 1h, not ${text}.`);
  return Math.round(Number(number) * UNITS[unit as keyof typeof UNITS]);
}

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function countOf(flag: string, text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw usageError(`${flag} must be a whole number of at least 1, not ${text}.`);
}

/** The text of a file that a flag names. */
export function readNamed(flag: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw usageError(`Cannot read ${flag} ${path}: ${code}.`, "Check the path.");
  }
}

export function schemaIn(path: string): Record<string, unknown> {
  const text = readNamed("--schema", path);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageError(`--schema ${path} is not JSON: ${(error as Error).message}`);
  }
}

/** Checks that the file can be read, because the CLI only reports a missing file as not valid. */
function existing(flag: string, path: string): string {
  readNamed(flag, path);
  return resolve(path);
}

export function dollarsOf(flag: string, text: string): number {
  const number = /^\$?(\d+(?:\.\d+)?)$/.exec(text)?.[1];
  if (number !== undefined && Number(number) > 0) return Number(number);
  throw usageError(`${flag} must be an amount in dollars such as 0.50, not ${text}.`);
}

function textOrFile(text: string): string {
  return text.startsWith("@") ? readNamed("--system", text.slice(1)) : text;
}

function toolsOf(text: string): Options["tools"] {
  if (text === "all") return { type: "preset", preset: "claude_code" };
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function someOf(list: readonly string[]): readonly string[] | undefined {
  return list.length === 0 ? undefined : list;
}
