import { posix, win32 } from "node:path";
import { type HawserError, objectOf, type Problem } from "../../base/index.js";
import type { JsonObject } from "../../wire/index.js";
import { readFile, readInline, settingsPath } from "../check/settings.js";
import { addFile, addPair, type Draft, isSince, mayUse, refusal } from "../draft.js";
import { anchorRule, workingDirectory } from "./anchor.js";
import { guardsCommands } from "./rules.js";
import { denyRules, mergeSettings, SKILL_COMMANDS_OFF } from "./settings-merge.js";
import { addVariables, mayHoldSecret } from "./settings-secrets.js";
import { placePermissions } from "./tools.js";
import { expectMode, withOlderMode } from "./words.js";

/**
 * All that travels as settings in one object, since of two `--settings` the CLI takes the last: the
 * option itself, the sandbox, and rules that are not on the command line.
 */
export function applySettings(draft: Draft): void {
  const { settings } = draft.options;
  const own = ownSettings(draft);
  const path = settingsPath(settings);
  if (path !== undefined && own === undefined) passFile(draft, path);
  else passMerged(draft, settings === undefined ? undefined : anchored(draft, settings), own);
}

function passMerged(
  draft: Draft,
  given: JsonObject | undefined,
  own: JsonObject | undefined,
): void {
  if (given === undefined && own === undefined) return;
  const merged = withOlderMode(mergeSettings(given ?? {}, own ?? {}));
  draft.expectedDenyRules = denyRules(merged).length;
  expectMode(draft, merged);
  addVariables(draft, merged);
  const text = JSON.stringify(merged);
  const byFile = draft.compact || mayHoldSecret(merged);
  const value = byFile ? addFile(draft, "settings.json", text, keepUntil(draft)) : text;
  addPair(draft, "settings", "--settings", value);
}

function ownSettings(draft: Draft): JsonObject | undefined {
  const permissions = filled({ ...placePermissions(draft) });
  const sandbox = draft.options.sandbox;
  const own = {
    ...filled({ permissions, sandbox: sandbox === undefined ? {} : { ...sandbox } }),
    ...(guardsCommands(draft) ? { [SKILL_COMMANDS_OFF]: true } : {}),
  };
  if (sandbox !== undefined) warnOfOpenSandbox(draft, sandbox);
  return Object.keys(own).length === 0 ? undefined : own;
}

/** Without this, an older CLI that cannot sandbox a command runs it unsandboxed. */
function warnOfOpenSandbox(draft: Draft, { enabled, failIfUnavailable }: JsonObject): void {
  if (failIfUnavailable === false || enabled === false) return;
  const feature = "sandbox.failIfUnavailable";
  mayUse(draft, feature, SINCE_FAIL, "where no sandbox can be had, commands run without one");
}

const SINCE_FAIL = "2.1.83";

function filled(fields: JsonObject): JsonObject {
  const entries = Object.entries(fields).filter(([, value]) => Object.keys(value as object).length);
  return Object.fromEntries(entries);
}

/** Nothing has to be merged: the CLI reads the caller's own file. */
function passFile(draft: Draft, path: string): void {
  const { settings: input } = draft.host;
  if (input !== undefined) {
    const reading = readFile(path, input);
    if ("message" in reading) throw refuse(draft, reading);
    draft.expectedDenyRules = denyRules(reading.settings).length;
    expectMode(draft, reading.settings);
    addVariables(draft, reading.settings);
  }
  addPair(draft, "settings", "--settings", path);
}

/** The given settings, as they can be moved to a file of our own. */
function anchored(draft: Draft, settings: JsonObject | string): JsonObject | undefined {
  const given = readGiven(draft, settings);
  const permissions = objectOf(given?.["permissions"]);
  if (given === undefined || Object.keys(permissions).length === 0) return given;
  const root = rootOf(draft, settings);
  const lists = ["allow", "deny", "ask"].flatMap((name) => {
    const list = permissions[name];
    const rules = Array.isArray(list) ? list.map((rule) => anchorRule(rule, root)) : undefined;
    return rules === undefined ? [] : [[name, rules]];
  });
  return { ...given, permissions: { ...permissions, ...Object.fromEntries(lists) } };
}

/** Where `Tool(/path)` counts from: the folder of a settings file, else the working directory. */
function rootOf(draft: Draft, settings: JsonObject | string): string | undefined {
  const root = workingDirectory(draft);
  const path = settingsPath(settings);
  if (path === undefined || root === undefined) return root;
  const { dirname, resolve } = draft.host.platform === "win32" ? win32 : posix;
  return dirname(resolve(root, path));
}

function readGiven(draft: Draft, settings: JsonObject | string): JsonObject | undefined {
  const { options, host, warnings } = draft;
  const path = settingsPath(settings);
  const reading = path === undefined ? readInline(settings) : readFile(path, host.settings);
  if ("settings" in reading) return reading.settings;
  if (options.strictSettingsMerge || options.sandbox === undefined) {
    throw refuse(draft, reading);
  }
  const { path: place, message } = reading;
  warnings.push(`The settings are left out, and the sandbox is kept: ${place} ${message}.`);
  return undefined;
}

function refuse({ host }: Draft, { path, message, hint }: Required<Problem>): HawserError {
  const issues = [{ path, message }];
  return refusal(host, "invalid_options", `${path} ${message}.`, { hint, issues });
}

/** Up to here the CLI reads the file anew whenever settings change: gone, so are its deny rules. */
function keepUntil({ cli }: Draft): "initialized" | "exit" {
  return cli.version !== undefined && isSince(cli, SINCE_READ_ONCE) ? "initialized" : "exit";
}

const SINCE_READ_ONCE = "2.1.229";
