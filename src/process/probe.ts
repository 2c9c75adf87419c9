import { type ExecFileException, execFile } from "node:child_process";
import { statSync } from "node:fs";
import { type Environment, HawserError } from "../errors/index.js";
import { parseVersion, type Version } from "../options/index.js";
import type { CliLocation } from "./locate.js";

/** What a CLI says about its version. */
export interface VersionProbe {
  /** Absent when the CLI answered nothing that reads as a version. */
  readonly version?: Version;
  /** The first line of the answer, or why there is none. */
  readonly text: string;
}

/**
 * Asks the CLI for its version, once per file: the answer is kept until the file changes. A CLI that
 * is slow or silent has an unknown version; one that cannot be started at all is an error.
 */
export function probeVersion(
  location: CliLocation,
  env: Environment = process.env,
  limitMs: number = LIMIT_MS,
): Promise<VersionProbe> {
  const key = cacheKey(location.path);
  const known = answers.get(key);
  if (known !== undefined) return known;
  const answer = ask(location, env, limitMs);
  answers.set(key, answer);
  const forget = () => answers.delete(key);
  answer.then(({ version }) => version === undefined && forget(), forget);
  return answer;
}

const LIMIT_MS = 5000;
const answers = new Map<string, Promise<VersionProbe>>();

function cacheKey(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return `${path}\0${stat?.mtimeMs}\0${stat?.size}`;
}

function ask(location: CliLocation, env: Environment, limitMs: number): Promise<VersionProbe> {
  const file = location.script ? process.execPath : location.path;
  const args = location.script ? [location.path, "-v"] : ["-v"];
  const options = { env, timeout: limitMs, killSignal: "SIGKILL", windowsHide: true } as const;
  return new Promise((resolve, reject) => {
    const answered = (error: ExecFileException | null, stdout: string) => {
      const text = stdout.split("\n", 1)[0]?.trim() ?? "";
      const version = parseVersion(text);
      if (version !== undefined) resolve({ version, text });
      else if (error === null) resolve({ text });
      else if (error.killed) resolve({ text: `no answer within ${limitMs} ms` });
      else if (typeof error.code === "string") reject(notRunnable(location.path, error));
      else resolve({ text: text || `exit code ${error.code}` });
    };
    try {
      execFile(file, args, options, answered).stdin?.end();
    } catch (error) {
      // Thrown at once: an environment too large, say. The start itself will fail the same way.
      resolve({ text: (error as Error).message });
    }
  });
}

function notRunnable(path: string, cause: ExecFileException): HawserError {
  const message = `The CLI at ${path} cannot be run: ${cause.code}.`;
  return new HawserError("cli_not_runnable", message, { cliPath: path, cause });
}
