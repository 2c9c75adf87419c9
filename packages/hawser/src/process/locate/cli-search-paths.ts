import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, posix, win32 } from "node:path";
import type { Environment } from "../../base/index.js";
import type { RefusedReason } from "./inspect-candidate.js";

/** The facts of the machine that decide where a CLI may be. */
export interface Machine {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** The folder that the system's own folders are in: `/`, except in a test. */
  readonly root: string;
  /** Unknown for a user without a home folder. */
  readonly home: string | undefined;
  /** Unknown if it has been deleted. */
  readonly cwd: string | undefined;
  /**
   * A file of hawser itself, with its links resolved. Its own dependencies are near it. Unknown if
   * a bundler made hawser a part of something that is not a file.
   */
  readonly self: string | undefined;
  /** Whether the caller trusts the `node_modules` of the current directory. */
  readonly fromCwd: boolean;
}

/** A path where a CLI may be. */
export interface SearchPath {
  readonly path: string;
  /**
   * The caller did not name this place, so the file is used only if the owner of this file or
   * folder, the current user or root put it there.
   */
  readonly trustedAs?: string;
  /** Why a file at this path must not be run. */
  readonly refused?: RefusedReason;
}

/**
 * `CLAUDE_CODE_BUNDLED_CLI`, then `_bundled/claude` beside the file that hawser is in and one
 * folder up, for a program that is bundled into one file. The path in `process.argv[1]` decides
 * nothing, because after `node -e` it is an argument and not the program.
 */
export function bundledPaths(machine: Machine): SearchPath[] {
  const { join } = pathModule(machine);
  const { env, self } = machine;
  const named = env["CLAUDE_CODE_BUNDLED_CLI"];
  const first = named ? [{ path: absolutePath(named, machine) }] : [];
  if (self === undefined) return first;
  const beside = dirname(self);
  const folders = [beside, join(beside, "..")];
  return [
    ...first,
    ...folders.map((folder) => ({
      path: join(folder, "_bundled", executableName(machine)),
      trustedAs: self,
    })),
  ];
}

/**
 * The executable of an npm package that is installed together with hawser: in a `node_modules`
 * folder that hawser itself is in, or in the one of the package that hawser's code belongs to. Node
 * would also look into the `node_modules` of every parent folder, into NODE_PATH and into the home
 * folder. This function does not, because a user who can write there, as in the parent folder /tmp,
 * need not be able to change hawser itself.
 */
export function packagePaths(machine: Machine): SearchPath[] {
  const { join, basename } = pathModule(machine);
  const { self } = machine;
  if (self === undefined) return [];
  const above = foldersAbove(self, machine);
  const own = above.find((folder) => existsSync(join(folder, "package.json")));
  const folders = [
    ...(own === undefined ? [] : [join(own, "node_modules")]),
    ...above.filter((folder) => basename(folder) === "node_modules"),
  ];
  return executablesIn(folders, machine).map((path) => ({ path, trustedAs: self }));
}

/**
 * The executable of an npm package in the `node_modules` of the current directory and of its
 * parents.
 */
export function cwdPaths(machine: Machine): SearchPath[] {
  const { cwd, fromCwd } = machine;
  if (cwd === undefined) return [];
  const { join } = pathModule(machine);
  const here = join(cwd, "package.json");
  const folders = foldersAbove(here, machine).map((folder) => join(folder, "node_modules"));
  return executablesIn(folders, machine).map((path) =>
    fromCwd ? { path, trustedAs: cwd } : { path, refused: OF_CWD },
  );
}

/**
 * Every `name` on PATH; on Windows with the endings of PATHEXT, `.exe` before `.cmd`. Two kinds of
 * entries are refused, because the current directory may be a checkout of foreign code:
 * relative entries, and the `node_modules/.bin` folders of the current directory and its parents,
 * which npm and npx put on PATH without being asked.
 */
export function pathVariablePaths(name: string, machine: Machine): SearchPath[] {
  const { join, delimiter, isAbsolute } = pathModule(machine);
  const path = machine.platform === "win32" ? windowsPath(machine.env) : machine.env["PATH"];
  const names = machine.platform === "win32" ? withEndings(name, machine.env) : [name];
  const folders = unique((path ?? "").split(delimiter)).filter((folder) => folder !== "");
  return folders.flatMap((folder) => {
    const refused = !isAbsolute(folder)
      ? RELATIVE
      : !machine.fromCwd && isNodeModulesOfCwd(folder, machine)
        ? OF_CWD
        : undefined;
    return names.map((file) => ({
      path: absolutePath(join(folder, file), machine),
      ...(refused === undefined ? {} : { refused }),
    }));
  });
}

/** The folders that installers use, for a CLI that is not on PATH. */
export function installerPaths(machine: Machine): SearchPath[] {
  const { join, isAbsolute } = pathModule(machine);
  const { platform, env, root } = machine;
  // A relative home would mean a folder of the current directory.
  const home = machine.home && isAbsolute(machine.home) ? machine.home : undefined;
  const atHome = (...names: string[]) => (home === undefined ? [] : [join(home, ...names)]);
  const found =
    platform === "win32"
      ? [
          ...atHome(".local", "bin", "claude.exe"),
          ...atHome(".claude", "local", "claude.exe"),
          ...(env["APPDATA"]
            ? [join(env["APPDATA"], "npm", "claude.cmd")]
            : atHome("AppData", "Roaming", "npm", "claude.cmd")),
        ]
      : [
          ...atHome(".npm-global", "bin", "claude"),
          join(root, "usr/local/bin/claude"),
          ...atHome(".local", "bin", "claude"),
          ...atHome("node_modules", ".bin", "claude"),
          ...atHome(".yarn", "bin", "claude"),
          ...atHome(".claude", "local", "claude"),
          ...atHome(".claude", "bin", "claude"),
          join(root, "opt/homebrew/bin/claude"),
        ];
  return found.filter((path) => isAbsolute(path)).map((path) => ({ path }));
}

const OF_CWD = { code: "cwd_node_modules" } as const;
const RELATIVE = { code: "relative_path_entry" } as const;

const SCOPE = "@anthropic-ai";
const WRAPPER = "claude-code";

/**
 * The platform package comes before the wrapper package, because the wrapper's file is a stub until
 * its install script has run. The platform package is beside the wrapper, below it, or, with pnpm,
 * beside the folder that the wrapper is a link to.
 */
function executablesIn(folders: readonly string[], machine: Machine): string[] {
  const { join } = pathModule(machine);
  const found = unique(folders).flatMap((modules) => {
    const wrapper = join(modules, SCOPE, WRAPPER);
    const real = realPath(wrapper);
    const nearWrapper =
      real === undefined ? [] : [join(real, "node_modules"), join(real, "..", "..")];
    const platform = [...nearWrapper, modules].flatMap((each) =>
      platformPackages(machine)
        .map((name) => join(each, SCOPE, name))
        .filter((folder) => existsSync(folder))
        .map((folder) => join(folder, executableName(machine))),
    );
    if (real === undefined) return platform;
    return [...platform, join(wrapper, "bin", "claude.exe"), join(wrapper, "cli.js")];
  });
  return unique(found);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // Not installed here: the next place is tried.
    return undefined;
  }
}

/** The folder of a file, its parent, and so on up to the root. */
function foldersAbove(file: string, machine: Machine): string[] {
  const { dirname: parentOf } = pathModule(machine);
  const found: string[] = [];
  let folder = parentOf(file);
  while (found.at(-1) !== folder) {
    found.push(folder);
    folder = parentOf(folder);
  }
  return found;
}

/** Compared by its real path too, because PATH and the current directory may differ by links. */
function isNodeModulesOfCwd(folder: string, machine: Machine): boolean {
  const { cwd } = machine;
  if (cwd === undefined) return false;
  const { join, normalize, sep } = pathModule(machine);
  const cwds = unique([cwd, realPath(cwd) ?? cwd]);
  const modules = cwds.flatMap((each) =>
    foldersAbove(join(each, "package.json"), machine).map((above) => join(above, "node_modules")),
  );
  const names = unique([normalize(folder), realPath(folder) ?? folder]);
  return modules.some((each) => names.some((name) => `${name}${sep}`.startsWith(`${each}${sep}`)));
}

function platformPackages({ platform, arch }: Machine): string[] {
  const glibc = `${WRAPPER}-${platform}-${arch}`;
  if (platform !== "linux") return [glibc];
  const musl = `${glibc}-musl`;
  return usesMusl() ? [musl, glibc] : [glibc, musl];
}

function usesMusl(): boolean {
  try {
    return readdirSync("/lib").some((name) => name.startsWith("ld-musl-"));
  } catch {
    // Without a readable /lib, this is not Alpine.
    return false;
  }
}

function executableName({ platform }: Machine): string {
  return platform === "win32" ? "claude.exe" : "claude";
}

function withEndings(name: string, env: Environment): string[] {
  const endings = (env["PATHEXT"] ?? ".COM;.EXE;.BAT;.CMD").toLowerCase().split(";");
  if (endings.some((ending) => ending !== "" && name.toLowerCase().endsWith(ending))) return [name];
  const order = [
    ".exe",
    ".cmd",
    ...endings.filter((ending) => ending === ".com" || ending === ".bat"),
  ];
  return order.filter((ending) => endings.includes(ending)).map((ending) => name + ending);
}

/** Windows keeps the variable as `Path`, and a copied environment is no longer case-insensitive. */
function windowsPath(env: Environment): string | undefined {
  return Object.entries(env).find(([name]) => name.toUpperCase() === "PATH")?.[1];
}

function pathModule({ platform }: Machine): typeof posix {
  return platform === "win32" ? win32 : posix;
}

/** The CLI may be started in another directory, where a relative path leads elsewhere. */
export function absolutePath(place: string, machine: Machine): string {
  return pathModule(machine).resolve(machine.cwd ?? "/", place);
}

function unique<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}
