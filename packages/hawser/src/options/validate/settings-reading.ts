import { type AdvisedProblem, isObject, kind } from "../../base/index.js";
import type { JsonObject } from "../../wire/index.js";
import type { SettingsInput } from "../invocation/invocation.js";
import { misspeltMode } from "./kinds/effort-and-mode.js";

/** Settings, or the reason why they cannot be read. */
export type SettingsReading = { readonly settings: JsonObject } | AdvisedProblem;

/** The path that the option `settings` names, if it names one. */
export function settingsPath(settings: JsonObject | string | undefined): string | undefined {
  return typeof settings === "string" && !isJsonText(settings) ? settings : undefined;
}

/** Reads settings from the option itself: an object, or JSON text. */
export function readInlineSettings(settings: JsonObject | string): SettingsReading {
  if (typeof settings !== "string") return checked(settings, "settings");
  const value = parse(settings);
  if (value === undefined) {
    return problem("begins like JSON but is not valid JSON", "Fix the JSON, or pass an object.");
  }
  if (!isObject(value)) return problem("is JSON but not an object", "Pass a JSON object.");
  return checked(value, "settings");
}

/** Reads settings from the file that was found at their path. */
export function readSettingsFile(path: string, input: SettingsInput | undefined): SettingsReading {
  if (input === undefined) {
    return problem(
      `names the file ${path}, whose contents were not passed`,
      "Pass the file's contents as `host.settings`.",
    );
  }
  if (!input.found) {
    return input.reason === "missing"
      ? problem(
          `names the file ${path}, which does not exist`,
          "Set `settings` to a file that exists.",
        )
      : problem(
          `names the file ${path}, which cannot be read: ${input.message}`,
          "Make the file readable for this user.",
        );
  }
  const value = parse(input.text);
  if (value === undefined) {
    return problem(`names the file ${path}, which is not valid JSON`, "Fix the JSON in the file.");
  }
  if (!isObject(value)) {
    const hint = "Write the settings as one JSON object.";
    return problem(`names the file ${path}, which does not hold a JSON object`, hint);
  }
  return checked(value, `settings (${path})`);
}

function problem(message: string, hint: string): AdvisedProblem {
  return { path: "settings", message, hint };
}

/** The settings in a text; undefined if the text is not a JSON object. */
export function parseSettings(text: string): JsonObject | undefined {
  const value = parse(text);
  return isObject(value) ? (value as JsonObject) : undefined;
}

function isJsonText(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error of JSON.parse quotes the text, and the text may hold a secret.
    return undefined;
  }
}

/** One known key of a wrong type makes the CLI silently drop all settings, deny rules included. */
function checked(settings: JsonObject, place: string): SettingsReading {
  const bad = TYPES.find(([key, , fits]) => settings[key] !== undefined && !fits(settings[key]));
  if (bad === undefined) return { settings };
  const [key, must] = bad;
  const path = kind.at(place, key);
  return { path, message: `must be ${must}`, hint: `Change \`${path}\`, or leave it out.` };
}

const isText = (value: unknown): boolean => typeof value === "string";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

/**
 * An unknown mode may belong to a newer CLI, but a mistyped one would make the CLI drop all
 * settings.
 */
function isMode(value: unknown): boolean {
  return typeof value === "string" && value !== "" && misspeltMode(value) === undefined;
}

function isPermissions(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { defaultMode } = value;
  const lists = ["allow", "ask", "deny", "additionalDirectories"].map((key) => value[key]);
  return (
    lists.every((list) => list === undefined || isTexts(list)) &&
    (defaultMode === undefined || isMode(defaultMode))
  );
}

type TypeRow = readonly [key: string, must: string, fits: (value: unknown) => boolean];

const TYPES: readonly TypeRow[] = [
  ["permissions", "an object of lists of rules and a known defaultMode", isPermissions],
  ["env", "an object of strings", (value) => isObject(value) && Object.values(value).every(isText)],
  ["model", "a string", isText],
  ["apiKeyHelper", "a string", isText],
  ["sandbox", "an object", isObject],
];
