import { closestName, isObject, kind, type Problem, throwIfInvalid } from "../../base/index.js";
import { RESERVED } from "../apply/extra-args.js";
import type { OptionName, Options } from "../options.js";
import { CALLER_OPTIONS, rowOf } from "../table/option-facts.js";
import { OPTION_NAMES, OPTION_TABLE } from "../table/option-table.js";
import { contradictions } from "./contradictions.js";
import { collidingServers, openGuards } from "./open-guards.js";
import { readInlineSettings, settingsPath } from "./settings-reading.js";

/**
 * Throws `invalid_options` with all problems, before anything is started.
 *
 * The options of a call are checked twice. The check of `readOptions()` is the decisive one, because
 * it checks the very copy that the invocation is built from. The check before it (`complete()`,
 * `openSession()`, a pool, a provider) only fails sooner: before the queue and the disk.
 */
export function validateOptions(options: Options): void {
  throwIfInvalid(read(options, problemsOf));
}

/**
 * Throws `invalid_options` for the options that concern one call alone. All others have been validated for
 * another call.
 */
export function validateCallerOptions(options: Options): void {
  throwIfInvalid(read(options, callerProblemsOf));
}

/**
 * Throws `invalid_options` for a guard that would be open because of a name, for example
 * `disallowedTools: ["bash"]`. `query()` does not call it, because it accepts what the official SDK
 * accepts.
 */
export function refuseOpenGuards(options: Options): void {
  throwIfInvalid([...openGuards(options)]);
}

/** Throws `invalid_options` for MCP servers whose tools could have the same names. */
export function refuseCollidingServers(names: readonly string[]): void {
  throwIfInvalid([...collidingServers(names, "mcpServers")]);
}

type Given = Readonly<Record<string, unknown>>;

function read(
  options: unknown,
  problemsIn: (options: Given) => Iterable<Problem>,
): readonly Problem[] {
  try {
    if (!isObject(options)) return [kind.notA("an object", options, "options")];
    return [...problemsIn(options)];
  } catch {
    // For example a getter that throws, or a cyclic structure.
    return [{ path: "options", message: "cannot be read" }];
  }
}

function* problemsOf(options: Given): Iterable<Problem> {
  for (const [name, value] of Object.entries(options)) {
    if (!isKnown(name)) yield unknownName(name);
    else if (value !== undefined) yield* OPTION_TABLE[name].kind.problems(value, name);
  }
  yield* repeatedFlags(options["extraArgs"]);
  yield* unusableSettings(options);
  yield* contradictions(options);
}

function* callerProblemsOf(options: Given): Iterable<Problem> {
  for (const name of CALLER_OPTIONS) {
    const value = options[name];
    if (value !== undefined) yield* rowOf(name as OptionName).kind.problems(value, name);
  }
}

function isKnown(name: string): name is OptionName {
  return Object.hasOwn(OPTION_TABLE, name);
}

function unknownName(name: string): Problem {
  const near = OTHER_NAMES.get(name) ?? closestName(name, OPTION_NAMES);
  const path = /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
  if (near === undefined) return { path, message: "is not an option", hint: "Leave it out." };
  return kind.renamed(path, "is not an option", near);
}

/** Names of these options in other libraries that `closestName` does not find. */
const OTHER_NAMES: ReadonlyMap<string, OptionName> = new Map<string, OptionName>([
  ["addDirs", "additionalDirectories"],
  ["add_dirs", "additionalDirectories"],
  ["continueConversation", "continue"],
  ["continue_conversation", "continue"],
  ["maxBufferSize", "maxLineBytes"],
  ["max_buffer_size", "maxLineBytes"],
  ["mcpConfig", "mcpServers"],
  ["retries", "retry"],
  ["system", "systemPrompt"],
  ["timeoutMs", "timeouts"],
  ["timeout_secs", "timeouts"],
  ["workingDir", "cwd"],
  ["working_dir", "cwd"],
]);

/** The CLI takes the last of two equal flags, so that a repeated flag would undo the option. */
function* repeatedFlags(extraArgs: unknown): Iterable<Problem> {
  if (!isObject(extraArgs)) return;
  for (const name of Object.keys(extraArgs)) {
    const flag = `--${name}`;
    const owner = OPTION_NAMES.find((option) => OPTION_TABLE[option].flags.some((f) => f === flag));
    const reserved = (RESERVED as readonly string[]).includes(flag);
    if (owner === undefined && !reserved) continue;
    const hint = owner === undefined ? "Leave it out." : `Use the option \`${owner}\`.`;
    yield { path: `extraArgs.${name}`, message: "repeats a flag that is set here", hint };
  }
}

function* unusableSettings(options: Given): Iterable<Problem> {
  const { settings, sandbox, strictSettingsMerge } = options;
  if (typeof settings !== "string" && !isObject(settings)) return;
  if (strictSettingsMerge === false && sandbox !== undefined) return;
  if (settingsPath(settings) !== undefined) return;
  const reading = readInlineSettings(settings);
  if ("message" in reading) yield reading;
}
