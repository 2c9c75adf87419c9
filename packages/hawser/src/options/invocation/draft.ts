import { posix, win32 } from "node:path";
import type { OptionName } from "../options.js";
import type { Flag } from "../table/option-row.js";
import type { Resolved } from "./default-options.js";
import type { EnvironmentDraft } from "./environment.js";
import type { CliFacts, HostFacts, Initialize, PrivateFile } from "./invocation.js";

/** An invocation under construction, which the rows of the table write to. */
export interface Draft {
  readonly options: Resolved;
  readonly cli: CliFacts;
  readonly host: HostFacts;
  /** Whether everything that can be sent by another channel stays off the command line. */
  readonly compact: boolean;
  readonly args: Argument[];
  readonly env: EnvironmentDraft;
  readonly initialize: { -readonly [Field in keyof Initialize]: Initialize[Field] };
  readonly files: PrivateFile[];
  readonly secrets: Set<string>;
  readonly warnings: string[];
  /** Rules and directories of all options, before `applySettings` decides how they are sent. */
  readonly permissions: { allow: string[]; deny: string[]; ask: string[]; directories: string[] };
  expectedDenyRules: number;
  expectsMode: boolean;
}

/** What one option puts on the command line. */
export interface Argument {
  readonly option: OptionName;
  readonly tokens: readonly string[];
}

/** One token, so that a value which begins with a dash cannot become a flag. */
export function addFlag(draft: Draft, option: OptionName, flag: Flag, value?: string): void {
  const token = value === undefined ? flag : `${flag}=${value}`;
  draft.args.push({ option, tokens: [token] });
}

/**
 * Adds a flag as two tokens, as the official SDK sends it. It is one token if the value begins with
 * a dash, because the CLI would take the value for a flag.
 */
export function addPair(draft: Draft, option: OptionName, flag: Flag, value: string): void {
  const tokens = value.startsWith("-") ? [`${flag}=${value}`] : [flag, value];
  draft.args.push({ option, tokens });
}

/** Makes the CLI wait for `initialize` before it starts. A second call has no effect. */
export function awaitInitialize(draft: Draft, option: OptionName): void {
  const flag = "--await-initialize";
  if (!draft.args.some(({ tokens }) => tokens[0] === flag)) addFlag(draft, option, flag);
}

/** Adds a private file and returns its path. */
export function addFile(
  draft: Draft,
  name: string,
  contents: string,
  keepUntil: PrivateFile["keepUntil"] = "initialized",
): string {
  const { join } = draft.host.platform === "win32" ? win32 : posix;
  const path = join(draft.host.privateDir, name);
  draft.files.push({ path, contents, keepUntil });
  return path;
}
