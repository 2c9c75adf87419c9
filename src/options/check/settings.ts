import type { JsonObject } from "../../wire/index.js";
import type { SettingsInput } from "../invocation.js";
import { isObject } from "./kind.js";
import { PERMISSION_MODES } from "./tool.js";

/** Settings that were understood, or why they were not. */
export type SettingsReading =
  | { readonly settings: JsonObject }
  | { readonly problem: string; readonly hint: string };

/** The path that the option `settings` names, if it names one. */
export function settingsPath(settings: JsonObject | string | undefined): string | undefined {
  return typeof settings === "string" && !isJsonText(settings) ? settings : undefined;
}

/** Reads settings from the option itself: an object, or JSON text. */
export function readInline(settings: JsonObject | string): SettingsReading {
  if (typeof settings !== "string") return checked(settings, "settings");
  const value = parse(settings);
  if (value === undefined) {
    return {
      problem: "settings begins as JSON and is not valid JSON",
      hint: "Correct the JSON, or pass an object.",
    };
  }
  if (!isObject(value)) {
    return { problem: "settings is JSON and not an object", hint: "Pass a JSON object." };
  }
  return checked(value, "settings");
}

/** Reads settings from what was found at their path. */
export function readFile(path: string, input: SettingsInput | undefined): SettingsReading {
  if (input === undefined) {
    return {
      problem: `settings names the file ${path}, whose contents are not known here`,
      hint: "Pass what the file holds as `host.settings`.",
    };
  }
  if (!input.found) {
    return input.reason === "missing"
      ? { problem: `the settings file ${path} does not exist`, hint: "Correct the path." }
      : {
          problem: `the settings file ${path} cannot be read: ${input.message}`,
          hint: "Make the file readable for this user.",
        };
  }
  const value = parse(input.text);
  if (value === undefined) {
    return { problem: `the settings file ${path} is not valid JSON`, hint: "Correct the file." };
  }
  if (!isObject(value)) {
    return {
      problem: `the settings file ${path} does not hold a JSON object`,
      hint: "Write the settings as one JSON object.",
    };
  }
  return checked(value, `the settings file ${path}`);
}

function isJsonText(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The reason quotes the text, and the text may hold a secret.
    return undefined;
  }
}

/** One known key of a wrong type makes the CLI drop all settings, deny rules included, in silence. */
function checked(settings: JsonObject, name: string): SettingsReading {
  const bad = TYPES.find(([key, , fits]) => settings[key] !== undefined && !fits(settings[key]));
  if (bad === undefined) return { settings };
  const [key, must] = bad;
  return { problem: `${name}: ${key} must be ${must}`, hint: `Correct \`${key}\`.` };
}

const isText = (value: unknown): boolean => typeof value === "string";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

function isPermissions(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { defaultMode } = value;
  const lists = ["allow", "ask", "deny", "additionalDirectories"].map((key) => value[key]);
  return (
    lists.every((list) => list === undefined || isTexts(list)) &&
    (defaultMode === undefined || PERMISSION_MODES.some((mode) => mode === defaultMode))
  );
}

type TypeRow = readonly [key: string, must: string, fits: (value: unknown) => boolean];

const TYPES: readonly TypeRow[] = [
  ["permissions", "an object of lists of rules and a known defaultMode", isPermissions],
  ["env", "an object of texts", (value) => isObject(value) && Object.values(value).every(isText)],
  ["model", "a text", isText],
  ["apiKeyHelper", "a text", isText],
  ["sandbox", "an object", isObject],
];
