import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ifAbsent } from "../storage-error.js";

/**
 * The working trees of the git repository that a directory is in. Read from git's own files,
 * because the `git` program would obey the settings in that directory, which may not be trusted.
 */
export async function worktreesOf(dir: string): Promise<string[]> {
  const root = await repositoryRoot(dir);
  if (root === undefined) return [];
  const common = await commonFolder(root);
  const main = basename(common) === ".git" ? [dirname(common)] : [];
  const linked = join(common, "worktrees");
  const names = await readdir(linked).catch(ifAbsent([])); // There are none.
  const others = await Promise.all(names.map((name) => linkedTree(join(linked, name))));
  return [...new Set([root, ...main, ...others.filter((path) => path !== undefined)])];
}

async function repositoryRoot(dir: string): Promise<string | undefined> {
  for (let at = dir; ; at = dirname(at)) {
    if (await exists(join(at, ".git"))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/**
 * `.git` is a folder in the main working tree, and a file that names a folder in every other tree.
 */
async function commonFolder(root: string): Promise<string> {
  const dotGit = join(root, ".git");
  const pointer = await firstLine(dotGit);
  if (!pointer?.startsWith("gitdir: ")) return dotGit;
  const own = resolve(root, pointer.slice("gitdir: ".length));
  const common = await firstLine(join(own, "commondir"));
  return common === undefined ? own : resolve(own, common);
}

async function linkedTree(folder: string): Promise<string | undefined> {
  const dotGit = await firstLine(join(folder, "gitdir"));
  return dotGit === undefined ? undefined : dirname(resolve(folder, dotGit));
}

async function firstLine(path: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch(ifAbsent(undefined)); // Absent, or a folder.
  return text?.split("\n", 1)[0]?.trim();
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
