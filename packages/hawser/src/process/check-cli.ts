import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Environment, HawserError } from "../base/index.js";
import { KEY_VARIABLES, type Options } from "../options/index.js";
import { configFolderIfAny } from "./config-folder.js";
import { type CliSource, type LocateOptions, locateCli } from "./locate/locate-cli.js";
import { notRunnableError } from "./locate/not-runnable-error.js";
import { probeCustomSpawn } from "./probe/probe-custom-spawn.js";
import { probeVersion, type VersionProbe } from "./probe/probe-version.js";

/** What `checkCli()` found out about the CLI. */
export interface CliReport {
  /** Whether the CLI can be started; if not, `problem` says why. */
  readonly runnable: boolean;
  readonly problem?: HawserError;
  /** Path of the CLI. */
  readonly path?: string;
  /** How the CLI was found. */
  readonly source?: CliSource;
  /** Absent if the CLI does not answer with a version. A call can still work. */
  readonly version?: string;
  /**
   * The answer to the question for its version, if it suggests that this is not the Claude Code
   * CLI. A wrapper with an answer of its own still works.
   */
  readonly doubt?: string;
  /**
   * Where a credential was seen. Its value is not read. The CLI may have others, as in a keychain.
   */
  readonly credential: CredentialHint;
  /** Whether your program itself runs inside a Claude Code session. */
  readonly nested: boolean;
  /** Whether your program runs as root; then the CLI refuses to skip permissions. */
  readonly root: boolean;
}

/**
 * Where a credential was seen: in the environment variable of this name, in the file of a login, or
 * nowhere that hawser can see.
 */
export type CredentialHint =
  | "ANTHROPIC_API_KEY"
  | "ANTHROPIC_AUTH_TOKEN"
  | "CLAUDE_CODE_OAUTH_TOKEN"
  | "login_file"
  | "none_seen";

/** Which CLI to check. */
export interface CheckOptions extends LocateOptions {
  /**
   * The function that starts the CLI in a call. The CLI is then asked for its version through this
   * function, in the environment and folder of a call, so that a `cliPath` that exists only there
   * works.
   */
  readonly spawnClaudeCodeProcess?: Options["spawnClaudeCodeProcess"];
  /** Working directory for that function. */
  readonly cwd?: string | undefined;
  /**
   * `bootMs` is how long that function's process may take to answer.
   * @default 60_000 for `bootMs`
   */
  readonly timeouts?: Options["timeouts"];
}

/**
 * Finds the CLI and asks for its version, without a call to the model. Never rejects: `problem` in
 * the report says what is wrong.
 *
 * @example
 * ```ts
 * const { runnable, version, problem } = await checkCli();
 * console.log(runnable ? `CLI ${version}` : problem?.message);
 * ```
 */
export async function checkCli(options: CheckOptions = {}): Promise<CliReport> {
  const env = { ...process.env, ...options.env };
  const surroundings = {
    credential: credentialHint(env, options.cwd),
    nested: env["CLAUDECODE"] !== undefined,
    root: process.getuid?.() === 0,
  };
  try {
    const { location, probe } = await ask(options, env);
    const { path, source } = location;
    const { version, text, failed } = probe;
    const found = { ...surroundings, path, source };
    if (failed) return { ...found, runnable: false, problem: silent(path, text) };
    const doubt = doubtOf(path, probe);
    return {
      ...found,
      ...(version === undefined ? {} : { version: version.join(".") }),
      ...(doubt === undefined ? {} : { doubt }),
      runnable: true,
    };
  } catch (error) {
    return { ...surroundings, runnable: false, problem: error as HawserError };
  }
}

async function ask(options: CheckOptions, env: Environment) {
  if (options.spawnClaudeCodeProcess !== undefined) return probeCustomSpawn(options as Options);
  const location = locateCli(options);
  return { location, probe: await probeVersion(location, { env }) };
}

/** Undefined if the answer is that of the Claude Code CLI. */
function doubtOf(path: string, { version, text }: VersionProbe): string | undefined {
  if (version !== undefined && text.includes(NAME)) return undefined;
  const answer = text === "" ? "nothing" : JSON.stringify(text.slice(0, LONGEST));
  return `${path} may not be the Claude Code CLI: asked for its version, it says ${answer}.`;
}

/** All versions of the CLI name themselves. */
const NAME = "(Claude Code)";
const LONGEST = 60;

/**
 * The system hands a file that it cannot run to a shell. The file itself shows the better reason.
 */
function silent(path: string, text: string): HawserError {
  return notRunnableError(path, `it does not say its version (${text})`, { cliPath: path });
}

function credentialHint(env: Environment, cwd: string | undefined): CredentialHint {
  for (const name of KEY_VARIABLES) {
    if (env[name]) return name;
  }
  const folder = configFolderIfAny(env, cwd);
  if (folder === undefined) return "none_seen";
  return existsSync(join(folder, ".credentials.json")) ? "login_file" : "none_seen";
}
