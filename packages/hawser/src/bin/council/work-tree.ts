import { readFileSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { HawserError } from "../../base/index.js";
import { usageError } from "../command/flags.js";

/** Runs Git in the folder, without a check of its work tree. */
export type RunGit = (args: readonly string[]) => Promise<string>;

/**
 * The work tree of the repository at a folder; undefined if there is none. Throws `invalid_options` if the repository
 * would make Git read files outside of it: by `core.worktree` in its configuration, or by names in its index, which
 * Git does not check when it reads them.
 */
export async function findWorkTree(cwd: string, runGit: RunGit): Promise<string | undefined> {
  let output: string;
  try {
    output = await runGit(["rev-parse", "--absolute-git-dir", "--show-toplevel"]);
  } catch (error) {
    // A bare repository, or the inside of a .git folder. Git refuses what needs a work tree by itself.
    if (NO_WORK_TREE.test((error as { stderr?: string }).stderr ?? "")) return undefined;
    throw error;
  }
  const [gitDir = "", workTree = ""] = output.split("\n");
  if (!isChosen(cwd, workTree) && gitDirOf(workTree) !== realpathOf(gitDir)) {
    throw foreignWorkTree(workTree);
  }
  const names = await runGit(["ls-files", "-z", "--full-name", "--", ":/"]);
  const outside = names.split("\0").find(isOutside);
  if (outside !== undefined) throw foreignName(outside);
  return workTree;
}

const NO_WORK_TREE = /must be run in a work tree/;

/** Whether the user has chosen the work tree: by its variable, or by that of the repository, which means this folder. */
function isChosen(cwd: string, workTree: string): boolean {
  if (process.env["GIT_WORK_TREE"] !== undefined) return true;
  return process.env["GIT_DIR"] !== undefined && realpathOf(cwd) === realpathOf(workTree);
}

/**
 * The repository that a work tree belongs to: its folder .git, or what its file .git names, as in a submodule and
 * after `git worktree add`.
 */
function gitDirOf(workTree: string): string | undefined {
  const path = join(workTree, ".git");
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) return realpathOf(path);
  const named = /^gitdir: (.+?)\r?\n*$/.exec(readFileSync(path, "utf8"))?.[1];
  return named === undefined ? undefined : realpathOf(resolve(workTree, named));
}

/** Undefined if there is no such file or folder. */
function realpathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Whether a name in the index leaves the work tree. Git itself never adds one with these parts. */
function isOutside(name: string): boolean {
  return name.startsWith("/") || name.split(SEPARATOR).includes("..") || isDrive(name);
}

const SEPARATOR = process.platform === "win32" ? /[\\/]/ : "/";

function isDrive(name: string): boolean {
  return process.platform === "win32" && /^(?:[a-z]:|\\)/i.test(name);
}

function foreignWorkTree(workTree: string): HawserError {
  return usageError(
    `The work tree of this repository is ${workTree}, which belongs to another one or to none.`,
    "Remove core.worktree from its configuration. If you trust the repository, set GIT_WORK_TREE.",
  );
}

function foreignName(name: string): HawserError {
  return usageError(
    `The index of this repository names a file outside of it: ${JSON.stringify(name)}.`,
    "Do not trust this repository. `git read-tree HEAD` makes a new index.",
  );
}
