import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { promisify } from "node:util";
import { HawserError } from "../../base/index.js";
import { LARGEST_SUBJECT } from "../../council/index.js";
import { usageError } from "../command/flags.js";
import { findWorkTree } from "./work-tree.js";

/**
 * Runs Git in a folder that may not be trusted, and returns its output. No program runs that the folder's own
 * .git/config names: no hook, file system monitor, filter, or transport for objects that are missing. No file is read
 * outside of the folder's repository. The settings of the user and the system count.
 */
export async function git(cwd: string, args: readonly string[]): Promise<string> {
  try {
    const settings = [...HARMLESS, ...(await ownFilters(cwd))];
    const workTree = await findWorkTree(cwd, (words) =>
      run(cwd, words, { settings, limit: Infinity }),
    );
    return await run(cwd, args, { settings, workTree });
  } catch (error) {
    throw describe(error as GitFailure, cwd);
  }
}

/** Like `git()`, but undefined if Git has found nothing: then it fails without a word. */
export async function gitIfAny(cwd: string, args: readonly string[]): Promise<string | undefined> {
  try {
    return await run(cwd, args, { settings: HARMLESS });
  } catch (error) {
    if ((error as GitFailure).stderr === "") return undefined;
    throw describe(error as GitFailure, cwd);
  }
}

type Setting = readonly [name: string, value: string];

const HARMLESS: readonly Setting[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  // Otherwise Git may write its index, which is not ours to change.
  ["diff.autoRefreshIndex", "false"],
  // With it, a diff in a subfolder would leave out the rest.
  ["diff.relative", "false"],
];

/** Settings that switch off the filters of the folder's own configuration. */
async function ownFilters(cwd: string): Promise<Setting[]> {
  const args = ["config", "--show-scope", "--includes", "--name-only", "-z", "--get-regexp"];
  const words = (await gitIfAny(cwd, [...args, "^filter\\."]))?.split("\0") ?? [];
  const names = words.filter((_, index) => OWN.has(words[index - 1] ?? "") && index % 2 === 1);
  return names.map((name) => [name, name.endsWith(".required") ? "false" : ""]);
}

/** The scopes of settings that come with a folder. */
const OWN: ReadonlySet<string> = new Set(["local", "worktree"]);

interface RunOptions {
  readonly settings: readonly Setting[];
  /** Counts more than what the configuration says. */
  readonly workTree?: string | undefined;
  /** The most that Git may print. */
  readonly limit?: number;
}

async function run(
  cwd: string,
  args: readonly string[],
  { settings, workTree, limit = LARGEST_SUBJECT }: RunOptions,
): Promise<string> {
  const place = workTree === undefined ? {} : { GIT_WORK_TREE: workTree };
  const env = { ...environmentWith(settings), ...place };
  return (await promisify(execFile)("git", ["--no-pager", ...args], { cwd, maxBuffer: limit, env }))
    .stdout;
}

/** Settings in the environment count more than those of every file. */
function environmentWith(settings: readonly Setting[]): NodeJS.ProcessEnv {
  const given = Number(process.env["GIT_CONFIG_COUNT"] ?? 0);
  const first = Number.isSafeInteger(given) && given > 0 ? given : 0;
  const entries = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, name],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    ...process.env,
    ...Object.fromEntries(entries),
    GIT_CONFIG_COUNT: `${first + settings.length}`,
    // The errors of Git are read below.
    LC_ALL: "C",
    GIT_OPTIONAL_LOCKS: "0",
    // A partial clone fetches missing objects, by a program that its configuration names.
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "",
    GIT_TERMINAL_PROMPT: "0",
  };
}

interface GitFailure extends Error {
  readonly code?: string | number;
  readonly stderr?: string;
}

function describe(error: GitFailure, cwd: string): Error {
  if (error instanceof HawserError) return error;
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    const hint = "Correct --cwd.";
    return new HawserError("cwd_not_found", `There is no folder ${cwd}.`, { hint });
  }
  if (error.code === "ENOENT") {
    return usageError("git was not found.", "Install git, or pipe the text to review in.");
  }
  if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") {
    return usageError("The diff is larger than 4 MiB.", "Review a part of it: --range, or a pipe.");
  }
  const said = error.stderr?.trim().split("\n", 1)[0] || error.message;
  const hint = /not a git repository/i.test(said)
    ? `Run it in a repository (this is ${cwd}), or pipe the text to review in.`
    : "Correct --range, or pipe the text to review in.";
  return usageError(`git has refused: ${said}`, hint);
}
