import { posix, win32 } from "node:path";
import { type AdvisedProblem, type HawserError, looksSecret, objectOf } from "../../base/index.js";
import type { JsonObject } from "../../wire/index.js";
import { addFile, addFlag, addPair, awaitInitialize, type Draft } from "../invocation/draft.js";
import { requireKept } from "../invocation/kept-since.js";
import { isSinceOrUnknown, mayUse, refusal } from "../invocation/version-gate.js";
import {
  readInlineSettings,
  readSettingsFile,
  settingsPath,
} from "../validate/settings-reading.js";
import { anchorRule, workingDirectory } from "./anchor-rule.js";
import { expectMode, withOlderMode } from "./effort-and-mode.js";
import { jsonCopy } from "./json-copy.js";
import { denyRules, mergeSettings, SKILL_COMMANDS_OFF } from "./merge-settings.js";
import { guardsCommands } from "./policy-rules.js";
import { placePermissions } from "./tools.js";

/**
 * Sends all settings in one object, because the CLI uses only the last of two `--settings`: the
 * option itself, the sandbox, and the rules that are not on the command line.
 */
export function applySettings(draft: Draft): void {
  const { settings } = draft.options;
  const own = ownSettings(draft);
  const path = settingsPath(settings);
  if (path !== undefined && own === undefined) passFile(draft, path);
  else passMerged(draft, settings === undefined ? undefined : anchored(draft, settings), own);
  const isChecked = draft.expectedDenyRules > 0 || draft.expectsMode;
  if (isChecked || draft.options.sandbox !== undefined) {
    requireKept("checked_settings", draft.cli, draft.host);
  }
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

/** An older CLI without `failIfUnavailable` runs a command unsandboxed if it cannot sandbox it. */
function warnOfOpenSandbox(draft: Draft, { enabled, failIfUnavailable }: JsonObject): void {
  if (failIfUnavailable === false || enabled === false) return;
  const feature = "sandbox.failIfUnavailable";
  mayUse(draft, feature, SINCE_FAIL, "where no sandbox is available, commands run without one");
}

const SINCE_FAIL = "2.1.83";

function filled(fields: JsonObject): JsonObject {
  const entries = Object.entries(fields).filter(([, value]) => Object.keys(value as object).length);
  return Object.fromEntries(entries);
}

/** Passes the path on if nothing must be merged, so that the CLI reads the caller's own file. */
function passFile(draft: Draft, path: string): void {
  const { settings: input } = draft.host;
  if (input !== undefined) {
    const reading = readSettingsFile(path, input);
    if ("message" in reading) throw refuse(draft, reading);
    draft.expectedDenyRules = denyRules(reading.settings).length;
    expectMode(draft, reading.settings);
    addVariables(draft, reading.settings);
  }
  addPair(draft, "settings", "--settings", path);
}

/** The given settings, with rules rewritten so that they mean the same in another file. */
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

/**
 * The folder that `Tool(/path)` is relative to: that of a settings file, or the working directory.
 */
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
  const reading =
    path === undefined ? readInlineSettings(settings) : readSettingsFile(path, host.settings);
  if ("settings" in reading) return reading.settings;
  if (options.strictSettingsMerge || options.sandbox === undefined) {
    throw refuse(draft, reading);
  }
  const { path: place, message } = reading;
  warnings.push(`The settings are left out, and the sandbox is kept: ${place} ${message}.`);
  return undefined;
}

function refuse({ host }: Draft, { path, message, hint }: AdvisedProblem): HawserError {
  const issues = [{ path, message }];
  return refusal(host, "invalid_options", `${path} ${message}.`, { hint, issues });
}

/**
 * An older CLI reads the file again when settings change, and loses the deny rules if it is gone.
 */
function keepUntil({ cli }: Draft): "initialized" | "exit" {
  return cli.version !== undefined && isSinceOrUnknown(cli, SINCE_READ_ONCE)
    ? "initialized"
    : "exit";
}

const SINCE_READ_ONCE = "2.1.229";

/**
 * Sends the policy on the command line, or in the initialize request if it may hold a secret or is
 * too long. The CLI accepts no file for it.
 */
export function applyManagedSettings(draft: Draft, policy: JsonObject): void {
  const secret = mayHoldSecret(policy);
  addVariables(draft, policy);
  if (!secret && (!draft.compact || !isSinceOrUnknown(draft.cli, SINCE_POLICY))) {
    addPair(draft, "managedSettings", "--managed-settings", JSON.stringify(policy));
  } else if (mayUse(draft, "managedSettings that may hold a secret", SINCE_POLICY)) {
    addFlag(draft, "managedSettings", "--managed-settings-in-initialize");
    awaitInitialize(draft, "managedSettings");
    draft.initialize.managedSettings = jsonCopy(policy);
  }
}

const SINCE_POLICY = "2.1.323";

/** Whether settings have a key that may hold a secret: any key that is not known to be harmless. */
function mayHoldSecret(settings: JsonObject): boolean {
  return Object.keys(settings).some((key) => !OPEN_KEYS.has(key));
}

const OPEN_KEYS = new Set([
  "alwaysThinkingEnabled",
  "cleanupPeriodDays",
  "disableAllHooks",
  "disableSkillShellExecution",
  "effortLevel",
  "includeCoAuthoredBy",
  "language",
  "model",
  "outputStyle",
  "permissions",
  "sandbox",
]);

/** Masks the values of `env` in settings that look secret. */
function addVariables({ secrets }: Draft, settings: JsonObject): void {
  for (const [name, value] of Object.entries(objectOf(settings["env"]))) {
    if (typeof value === "string" && looksSecret(name, value)) secrets.add(value);
  }
}
