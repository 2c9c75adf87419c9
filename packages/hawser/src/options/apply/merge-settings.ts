import { objectOf } from "../../base/index.js";
import type { JsonObject } from "../../wire/index.js";
import { jsonCopy } from "./json-copy.js";
import { unique } from "./tools.js";

/**
 * Merges the settings that other options make into the given settings. Rules are joined, and the
 * sandbox fails closed.
 */
export function mergeSettings(given: JsonObject, own: JsonObject): JsonObject {
  const merged: Record<string, unknown> = jsonCopy({ ...given });
  if (own["permissions"] !== undefined) {
    merged["permissions"] = mergeLists(
      objectOf(given["permissions"]),
      objectOf(own["permissions"]),
    );
  }
  if (own["sandbox"] !== undefined) {
    const both = { ...objectOf(given["sandbox"]), ...jsonCopy(objectOf(own["sandbox"])) };
    merged["sandbox"] = { ...both, failIfUnavailable: both["failIfUnavailable"] ?? true };
  }
  const isOff = merged[SKILL_COMMANDS_OFF] ?? own[SKILL_COMMANDS_OFF];
  if (isOff !== undefined) merged[SKILL_COMMANDS_OFF] = isOff;
  return merged;
}

/** Keeps the CLI from running the commands in the file of a skill when the skill is loaded. */
export const SKILL_COMMANDS_OFF = "disableSkillShellExecution";

function mergeLists(given: JsonObject, own: JsonObject): JsonObject {
  const lists = Object.entries(own).map(([key, list]) => [
    key,
    unique(texts(given[key]), texts(list)),
  ]);
  return { ...given, ...Object.fromEntries(lists) };
}

export function denyRules(settings: JsonObject): readonly string[] {
  return texts(objectOf(settings["permissions"])["deny"]);
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
