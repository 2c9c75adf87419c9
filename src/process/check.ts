import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment, HawserError } from "../errors/index.js";
import { type CliSource, type LocateOptions, locateCli } from "./locate.js";
import { notRunnable } from "./not-runnable.js";
import { probeVersion } from "./probe.js";

/** What a program can know about the CLI before it makes a call. */
export interface CliReport {
  /** Whether a call has a chance; `problem` says why not. */
  readonly runnable: boolean;
  readonly problem?: HawserError;
  readonly path?: string;
  readonly source?: CliSource;
  /** Absent when it says something else than a version; a call goes on all the same. */
  readonly version?: string;
  /** Where a credential was seen; its value is not read. The CLI may know others, such as a keychain. */
  readonly credential: CredentialHint;
  /** Whether this program itself runs inside a Claude Code session. */
  readonly nested: boolean;
  /** Whether this program runs as root, where the CLI refuses to skip permissions. */
  readonly root: boolean;
}

export type CredentialHint =
  | "ANTHROPIC_API_KEY"
  | "ANTHROPIC_AUTH_TOKEN"
  | "CLAUDE_CODE_OAUTH_TOKEN"
  | "login file"
  | "none seen";

/** Finds the CLI and asks its version. Never rejects: what is wrong is in the report. */
export async function checkCli(options: LocateOptions = {}): Promise<CliReport> {
  const env = { ...process.env, ...options.env };
  const surroundings = {
    credential: credentialHint(env),
    nested: env["CLAUDECODE"] !== undefined,
    root: process.getuid?.() === 0,
  };
  try {
    const location = locateCli(options);
    const { path, source } = location;
    const { version, text, failed } = await probeVersion(location, { env });
    const found = { ...surroundings, path, source };
    if (failed) return { ...found, runnable: false, problem: silent(path, text) };
    const known = version === undefined ? {} : { version: version.join(".") };
    return { ...found, ...known, runnable: true };
  } catch (error) {
    return { ...surroundings, runnable: false, problem: error as HawserError };
  }
}

/** What the system cannot run itself it may have handed to a shell: the file tells. */
function silent(path: string, text: string): HawserError {
  return notRunnable(path, `it does not say its version (${text})`, { cliPath: path });
}

function credentialHint(env: Environment): CredentialHint {
  for (const name of [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
  ] as const) {
    if (env[name]) return name;
  }
  const configDir = env["CLAUDE_CONFIG_DIR"] || join(env["HOME"] || homedir(), ".claude");
  return existsSync(join(configDir, ".credentials.json")) ? "login file" : "none seen";
}
