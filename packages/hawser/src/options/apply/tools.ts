import { addFlag, type Draft } from "../invocation/draft.js";
import { mayUse } from "../invocation/version-gate.js";
import type { Options } from "../options.js";
import { escapeRule, isListable } from "../validate/kinds/permission-rule.js";
import { anchorRule, workingDirectory } from "./anchor-rule.js";

/** Sends the built-in tools without names of MCP tools, because the CLI silently ignores these. */
export function applyTools(draft: Draft, tools: NonNullable<Options["tools"]>): void {
  const names = isNames(tools) ? tools.filter((name) => !name.startsWith("mcp__")) : ["default"];
  addFlag(draft, "tools", "--tools", [...new Set(names)].join(","));
}

function isNames(tools: NonNullable<Options["tools"]>): tools is string[] {
  return Array.isArray(tools);
}

export function applySkills(draft: Draft, skills: readonly string[] | "all"): void {
  if (skills === "all") {
    draft.permissions.allow.push("Skill");
    return;
  }
  if (!mayUse(draft, "a list of skills", SINCE_SKILLS)) return;
  draft.permissions.allow.push(...skills.map((skill) => `Skill(${skill})`));
  draft.initialize.skills = [...skills];
}

const SINCE_SKILLS = "2.1.116";

export function applyToolConfig(
  { env }: Draft,
  config: { readonly askUserQuestion?: { readonly previewFormat?: string } },
): void {
  const format = config.askUserQuestion?.previewFormat;
  if (format !== undefined) env.set("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT", format);
}

/** The rules and directories that are sent in the settings. */
export interface SettingsPermissions {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly ask: readonly string[];
  readonly additionalDirectories: readonly string[];
}

/** Puts lists on the command line if they fit there, and returns the rest for the settings. */
export function placePermissions(draft: Draft): SettingsPermissions {
  const { permissions } = draft;
  const root = workingDirectory(draft);
  const moved = (list: readonly string[]) => escaped(list.map((rule) => anchorRule(rule, root)));
  return {
    allow: moved(placeList(draft, "allowedTools", permissions.allow)),
    deny: moved(placeList(draft, "disallowedTools", permissions.deny)),
    ask: moved(permissions.ask),
    additionalDirectories: placeDirectories(draft),
  };
}

function placeList(
  draft: Draft,
  option: "allowedTools" | "disallowedTools",
  list: readonly string[],
): readonly string[] {
  if (draft.compact || !list.every(isListable)) return list;
  if (list.length > 0) addFlag(draft, option, `--${option}`, unique(list).join(","));
  return [];
}

function placeDirectories(draft: Draft): readonly string[] {
  const directories = unique(draft.permissions.directories);
  if (draft.compact) return directories;
  for (const path of directories) addFlag(draft, "additionalDirectories", "--add-dir", path);
  return [];
}

function escaped(list: readonly string[]): string[] {
  return unique(list.map(escapeRule));
}

export function unique(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())];
}
