import { posix, win32 } from "node:path";
import { createMask, type ErrorCode, type ErrorFacts, HawserError } from "../base/index.js";
import type { EnvironmentDraft } from "./environment.js";
import type { CliFacts, HostFacts, Initialize, PrivateFile } from "./invocation.js";
import type { OptionName } from "./options.js";
import type { Resolved } from "./resolve.js";
import type { Flag } from "./spec.js";
import { compareVersions, parseVersion } from "./version.js";

/** An invocation while the rows of the table write to it. */
export interface Draft {
  readonly options: Resolved;
  readonly cli: CliFacts;
  readonly host: HostFacts;
  /** Whether all that has another way stays off the command line. */
  readonly compact: boolean;
  readonly args: Argument[];
  readonly env: EnvironmentDraft;
  readonly initialize: { -readonly [Field in keyof Initialize]: Initialize[Field] };
  readonly files: PrivateFile[];
  readonly secrets: Set<string>;
  readonly warnings: string[];
  /** Rules and directories of all options, before it is decided how they travel. */
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

/** Two tokens, as the CLI's own SDK sends these; one where two would be read as two flags. */
export function addPair(draft: Draft, option: OptionName, flag: Flag, value: string): void {
  const tokens = value.startsWith("-") ? [`${flag}=${value}`] : [flag, value];
  draft.args.push({ option, tokens });
}

/** Makes the CLI wait for `initialize` before it starts; harmless when asked for twice. */
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

/** Whether the CLI is at least this version; one of unknown version is taken for a new one. */
export function isSince(cli: CliFacts, since: string): boolean {
  const needed = parseVersion(since);
  if (cli.version === undefined || needed === undefined) return true;
  return compareVersions(cli.version, needed) >= 0;
}

/** What decides about a feature that the CLI may be too old for. */
export type Gate = Pick<Draft, "cli" | "host" | "options" | "warnings">;

/** Whether a feature in use may be sent; one that the CLI is too old for goes by `onOldCli`. */
export function mayUse(
  { cli, host, options, warnings }: Gate,
  feature: string,
  since: string,
  otherwise = "it is left out",
  hint?: string,
): boolean {
  if (isSince(cli, since)) return true;
  const found = cli.version?.join(".") ?? "unknown";
  const message = `${feature} needs Claude Code ${since} or newer; this one is ${found}`;
  if (options.onOldCli === "error") {
    throw refusal(host, "unsupported_by_cli", `${message}.`, {
      cliPath: cli.path,
      cliVersion: found,
      issues: [{ path: feature, message: `needs ${since}` }],
      ...(hint === undefined ? {} : { hint }),
    });
  }
  if (options.onOldCli === "warn") warnings.push(`${message}: ${otherwise}.`);
  return false;
}

/** An error that is masked by the environment it is about, not by that of this process. */
export function refusal(
  host: HostFacts,
  code: ErrorCode,
  message?: string,
  facts?: ErrorFacts,
): HawserError {
  return new HawserError(code, message, facts, createMask(host.env));
}
