import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, posix, win32 } from "node:path";
import type { Environment } from "../errors/index.js";

/** The facts of the machine that decide where a CLI may be. */
export interface Machine {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly home: string;
  /** The running program's file, next to which a bundled CLI may be. */
  readonly program: string | undefined;
  /** Unknown when it has been deleted. */
  readonly cwd: string | undefined;
  /** A file of hawser itself, beside which its own dependencies are. */
  readonly self: string;
}

/** `CLAUDE_CODE_BUNDLED_CLI`, then `_bundled/claude` beside the program and one folder up. */
export function bundledPlaces(machine: Machine): string[] {
  const { join } = paths(machine);
  const named = machine.env["CLAUDE_CODE_BUNDLED_CLI"];
  const beside = machine.program === undefined ? [] : [dirname(machine.program)];
  return [
    ...(named ? [absolute(named, machine)] : []),
    ...beside.flatMap((folder) => [
      join(folder, "_bundled", executable(machine)),
      join(folder, "..", "_bundled", executable(machine)),
    ]),
  ];
}

/**
 * The executable inside an installed npm package, as seen from the program, the working directory
 * and hawser itself. The platform package comes first: the other one's file is a stub until its
 * install script has run.
 */
export function packagePlaces(machine: Machine): string[] {
  const { program, cwd, self } = machine;
  const bases = [program, cwd && paths(machine).join(cwd, "package.json"), self];
  return unique(
    bases.flatMap((base) => (base === undefined ? [] : packagePlacesFrom(base, machine))),
  );
}

/** Every `name` on PATH; on Windows with the endings of PATHEXT, `.exe` before `.cmd`. */
export function pathPlaces(name: string, machine: Machine): string[] {
  const { join, delimiter } = paths(machine);
  const path = machine.platform === "win32" ? windowsPath(machine.env) : machine.env["PATH"];
  const folders = (path ?? "").split(delimiter).filter((folder) => folder !== "");
  const names = machine.platform === "win32" ? withEndings(name, machine.env) : [name];
  return unique(
    folders.flatMap((folder) => names.map((file) => absolute(join(folder, file), machine))),
  );
}

/** Where installers put the CLI when it is not on PATH. */
export function usualPlaces(machine: Machine): string[] {
  const { join } = paths(machine);
  const { home } = machine;
  if (machine.platform === "win32") {
    return [
      join(home, ".local", "bin", "claude.exe"),
      join(home, ".claude", "local", "claude.exe"),
      join(machine.env["APPDATA"] ?? join(home, "AppData", "Roaming"), "npm", "claude.cmd"),
    ];
  }
  return [
    join(home, ".npm-global", "bin", "claude"),
    "/usr/local/bin/claude",
    join(home, ".local", "bin", "claude"),
    join(home, "node_modules", ".bin", "claude"),
    join(home, ".yarn", "bin", "claude"),
    join(home, ".claude", "local", "claude"),
    join(home, ".claude", "bin", "claude"),
    "/opt/homebrew/bin/claude",
  ];
}

const PACKAGE = "@anthropic-ai/claude-code";

function packagePlacesFrom(base: string, machine: Machine): string[] {
  const found: string[] = [];
  const require = createRequire(base);
  const wrapper = tryResolve(require, `${PACKAGE}/package.json`);
  for (const platformPackage of platformPackages(machine)) {
    const from = wrapper === undefined ? require : createRequire(wrapper);
    const manifest = tryResolve(from, `${platformPackage}/package.json`);
    if (manifest !== undefined)
      found.push(paths(machine).join(dirname(manifest), executable(machine)));
  }
  if (wrapper !== undefined) {
    const folder = dirname(wrapper);
    found.push(`${folder}/bin/claude.exe`, `${folder}/cli.js`);
  }
  return found;
}

function tryResolve(require: NodeJS.Require, id: string): string | undefined {
  try {
    return require.resolve(id);
  } catch {
    // Not installed here: the next place is tried.
    return undefined;
  }
}

function platformPackages({ platform, arch }: Machine): string[] {
  const glibc = `${PACKAGE}-${platform}-${arch}`;
  if (platform !== "linux") return [glibc];
  const musl = `${glibc}-musl`;
  return usesMusl() ? [musl, glibc] : [glibc, musl];
}

function usesMusl(): boolean {
  try {
    return readdirSync("/lib").some((name) => name.startsWith("ld-musl-"));
  } catch {
    // No /lib to read: then this is no Alpine.
    return false;
  }
}

function executable({ platform }: Machine): string {
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

function paths({ platform }: Machine): typeof posix {
  return platform === "win32" ? win32 : posix;
}

/** The CLI may be started in another directory, where a relative path leads elsewhere. */
export function absolute(place: string, machine: Machine): string {
  return paths(machine).resolve(machine.cwd ?? "/", place);
}

function unique(places: readonly string[]): string[] {
  return [...new Set(places)];
}
