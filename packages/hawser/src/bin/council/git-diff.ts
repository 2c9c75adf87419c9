import { usageError } from "../command/flags.js";
import { git, gitIfAny } from "./git.js";

/** The changes of the folder since the last commit, or those of a range such as `main...HEAD`. */
export async function gitDiff(cwd: string, range: string | undefined): Promise<string> {
  if (range?.startsWith("-")) throw usageError(`--range cannot begin with a dash: ${range}`);
  return git(cwd, ["diff", ...FLAGS, range ?? (await lastCommit(cwd)), "--"]);
}

/** How many new files and folders Git does not track. They are in no diff. */
export async function countUntracked(cwd: string): Promise<number> {
  const args = ["--others", "--exclude-standard", "--directory", "--no-empty-directory", "-z"];
  const list = await git(cwd, ["ls-files", ...args]);
  return list.split("\0").filter((name) => name !== "").length;
}

const FLAGS = [
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  // The user's settings must not change how the names of files look, because reviewers repeat them.
  "--src-prefix=a/",
  "--dst-prefix=b/",
  // Otherwise Git would run in the folders of the submodules too, with their own settings.
  "--submodule=short",
  "--ignore-submodules=dirty",
];

/** `HEAD`, or an empty tree if there is no commit yet. */
async function lastCommit(cwd: string): Promise<string> {
  const head = await gitIfAny(cwd, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  if (head !== undefined) return "HEAD";
  return (await git(cwd, ["hash-object", "-t", "tree", "/dev/null"])).trim();
}
