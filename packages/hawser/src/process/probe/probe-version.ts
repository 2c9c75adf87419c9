import type { ChildProcess } from "node:child_process";
import { statSync } from "node:fs";
import { type Environment, HawserError } from "../../base/index.js";
import { parseVersion, type Version } from "../../options/index.js";
import { atHostExit } from "../end/at-host-exit.js";
import { newMarker, withMarker } from "../end/host-identity.js";
import { signalGroup } from "../end/sweep-tree.js";
import { watchProcess } from "../end/watchdog.js";
import { currentFolderIfAny } from "../host-folders.js";
import type { CliLocation } from "../locate/locate-cli.js";
import { type User, withUserHome } from "../prepare/resolve-user.js";
import { spawnError } from "../spawn/spawn-error.js";
import { startChild } from "../spawn/start-child.js";

/** The answer of a CLI to the question for its version. */
export interface VersionProbe {
  /** Absent if the answer is not a version. */
  readonly version?: Version;
  /** The first line of the answer, or why there is none. */
  readonly text: string;
  /** Whether the CLI failed to answer at all. */
  readonly failed?: true;
  /** Whether the installer wrote the version, and the CLI itself has not said it. */
  readonly byInstaller?: true;
}

export interface ProbeOptions {
  readonly env?: Environment;
  readonly user?: User | undefined;
  readonly limitMs?: number;
}

/**
 * Asks the CLI for its version, once per file: the answer is kept until the file changes. A CLI
 * that is slow or silent has an unknown version. A file that cannot be started, or that is Node, is
 * an error.
 */
export function probeVersion(
  location: CliLocation,
  options: ProbeOptions | (() => ProbeOptions) = {},
): Promise<VersionProbe> {
  const key = fileKey(location.path);
  const known = answers.get(key);
  if (known !== undefined) return known;
  const answer = ask(location, typeof options === "function" ? options() : options);
  answers.set(key, answer);
  const forget = () => answers.delete(key);
  answer.then(({ version }) => version === undefined && forget(), forget);
  return answer;
}

/** The answer of a file that was asked already, by its `fileKey()`. */
export function earlierAnswer(key: string): Promise<VersionProbe> | undefined {
  return answers.get(key);
}

/** Identifies a file; a file that replaces it at the same path has another key. */
export function fileKey(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return `${path}\0${stat?.ino}\0${stat?.mtimeMs}\0${stat?.size}`;
}

/** The last answer of the file at this path; undefined if it has never answered. */
export function lastProbe(path: string): VersionProbe | undefined {
  return said.get(path);
}

const LIMIT_MS = 5000;
export const LONGEST_ANSWER = 4096;
const answers = new Map<string, Promise<VersionProbe>>();
const said = new Map<string, VersionProbe>();

async function ask(location: CliLocation, options: ProbeOptions): Promise<VersionProbe> {
  const { limitMs = LIMIT_MS } = options;
  const { path } = location;
  const child = await start(location, options);
  return new Promise((resolve, reject) => {
    let text = "";
    let complaint = "";
    let late = false;
    // A wrapper script may have started other processes, so the whole group is killed.
    const kill = () => child.pid !== undefined && signalGroup(child.pid, "SIGKILL");
    const release = [atHostExit(kill)];
    if (child.pid !== undefined) release.push(watchProcess(child.pid).end);
    const timer = setTimeout(() => {
      late = true;
      kill();
    }, limitMs);
    child.stdout?.on("data", (chunk: Buffer) => {
      if (text.length < LONGEST_ANSWER) text += chunk.toString();
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      if (complaint.length < LONGEST_ANSWER) complaint += chunk.toString();
    });
    // A broken pipe gives no more text. The exit of the process decides.
    child.stdout?.on("error", () => {});
    child.stderr?.on("error", () => {});
    child.once("close", (code) => {
      clearTimeout(timer);
      for (const each of release) each();
      if (late) return resolve({ text: `no answer within ${limitMs} ms`, failed: true });
      const answer = readAnswer(text, complaint, code);
      if (NODE.test(answer.text)) return reject(isNode(path, answer.text));
      if (code !== null) said.set(path, answer);
      resolve(answer);
    });
  });
}

async function start(
  location: CliLocation,
  { env = process.env, user }: ProbeOptions,
): Promise<ChildProcess> {
  const { path, script } = location;
  const file = script ? process.execPath : path;
  try {
    return await startChild(file, script ? [path, "-v"] : ["-v"], {
      env: withMarker(withUserHome(user, env), newMarker()),
      stdio: ["ignore", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
      // The version does not depend on the folder, but no program starts well in a deleted one.
      ...(currentFolderIfAny() === undefined ? { cwd: "/" } : {}),
      ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
    });
  } catch (error) {
    throw spawnError(error, { file, cwd: undefined, facts: { cliPath: path } });
  }
}

/** Reads the first line of an answer. A version counts only if the process exited with 0. */
export function readAnswer(answer: string, complaint: string, code: number | null): VersionProbe {
  const text = firstLine(answer);
  // A process that died while it answered may have written half of the version.
  const version = code === 0 ? parseVersion(text) : undefined;
  if (version !== undefined) return { version, text };
  if (code === 0) return { text };
  const why = firstLine(complaint.trimStart());
  const end = why === "" ? `exit code ${code}` : `exit code ${code}, ${why}`;
  return { text: text || end, failed: true };
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]?.trim() ?? "";
}

/** Node prints its version like this; no CLI does. */
const NODE = /^v\d+\.\d+\.\d+$/;

function isNode(path: string, text: string): HawserError {
  const message = `${path} is not the Claude Code CLI but Node: it reports the version ${text}.`;
  const hint =
    "Set `cliPath` to the CLI itself, such as the path of `claude`; `executable` is its runtime.";
  return new HawserError("cli_not_runnable", message, { cliPath: path, hint });
}
