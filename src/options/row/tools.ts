import { addFlag, type Draft, mayUse } from "../draft.js";
import type { Options } from "../options.js";
import type { PermissionRules } from "../shape/permission.js";

/** The built-in tools; names of MCP tools have no effect there, and the CLI does not say so. */
export function applyTools(draft: Draft, tools: NonNullable<Options["tools"]>): void {
  const names = isNames(tools) ? tools.filter((name) => !name.startsWith("mcp__")) : ["default"];
  addFlag(draft, "tools", "--tools", [...new Set(names)].join(","));
}

function isNames(tools: NonNullable<Options["tools"]>): tools is readonly string[] {
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

/**
 * What all options together allow and deny: on the command line if it fits there, and returned for
 * the settings if not. The CLI treats both alike.
 */
export function placePermissions(draft: Draft): Required<PermissionRules> & Directories {
  const { permissions, options, compact } = draft;
  const { allow = [], ask = [], deny = [] } = options.rules ?? {};
  if (compact) {
    return {
      allow: unique(permissions.allow, allow),
      ask: unique(ask),
      deny: unique(permissions.deny, deny),
      directories: unique(permissions.directories),
    };
  }
  for (const [option, flag] of LISTS) {
    const list = unique(permissions[option === "allowedTools" ? "allow" : "deny"]);
    if (list.length > 0) addFlag(draft, option, flag, list.join(","));
  }
  for (const directory of unique(permissions.directories)) {
    addFlag(draft, "additionalDirectories", "--add-dir", directory);
  }
  return { allow: unique(allow), ask: unique(ask), deny: unique(deny), directories: [] };
}

interface Directories {
  readonly directories: readonly string[];
}

const LISTS = [
  ["allowedTools", "--allowedTools"],
  ["disallowedTools", "--disallowedTools"],
] as const;

export function unique(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())];
}
