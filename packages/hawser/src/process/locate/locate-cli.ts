import { fileURLToPath } from "node:url";
import { type Environment, HawserError } from "../../base/index.js";
import { homeFolder } from "../config-folder.js";
import { currentFolderIfAny } from "../host-folders.js";
import {
  absolutePath,
  bundledPaths,
  cwdPaths,
  installerPaths,
  type Machine,
  packagePaths,
  pathVariablePaths,
  type SearchPath,
} from "./cli-search-paths.js";
import { findDistrust } from "./find-distrust.js";
import {
  type Candidate,
  describeReason,
  inspectCandidate,
  shimTarget,
} from "./inspect-candidate.js";

/**
 * How a CLI was found: named by the option `cliPath` or by the environment variable HAWSER_CLI, in
 * `node_modules` of the current directory, bundled with the program, in an npm package that is
 * installed together with hawser, in a folder of the environment variable PATH, or where installers
 * put it.
 */
export type CliSource =
  | "option"
  | "HAWSER_CLI"
  | "cwd"
  | "bundled"
  | "package"
  | "PATH"
  | "usual_place";

/** An executable that was found. It was not started. */
export interface CliLocation {
  readonly path: string;
  readonly source: CliSource;
  /** Whether the CLI is a script, which runs under Node. */
  readonly script: boolean;
}

/** Options of `locateCli()`. */
export interface LocateOptions {
  /** A path, or a name to find on PATH. If it is set, no other place is searched. */
  readonly cliPath?: string | undefined;
  /** Alias of `cliPath`, the name in the official Agent SDK. */
  readonly pathToClaudeCodeExecutable?: string | undefined;
  /**
   * `"cwd"` searches first in the `node_modules` of your program's current directory and its
   * parents. Use it only for a directory whose code you would run, because its author chose the CLI
   * there.
   */
  readonly cliFrom?: "cwd" | undefined;
  /**
   * Variables that are added to your program's environment for the search, such as PATH.
   * @default no more variables
   */
  readonly env?: Environment | undefined;
}

/**
 * Finds the CLI, in this order: `cliPath`, the variable HAWSER_CLI, the current directory (only
 * with `cliFrom: "cwd"`), a CLI that is bundled or installed together with hawser, PATH, and the
 * folders that installers use. If `cliPath` or HAWSER_CLI names a file that cannot be run, it
 * throws. In the other places, a file that cannot be run is skipped.
 *
 * @example
 * ```ts
 * const { path, source } = locateCli();
 * ```
 */
export function locateCli(
  options: LocateOptions = {},
  machine: Machine = thisMachine(options),
): CliLocation {
  checkCliFrom(options.cliFrom);
  const name = options.cliPath === undefined ? "pathToClaudeCodeExecutable" : "cliPath";
  const asked = options[name];
  if (asked !== undefined) return locateNamed(asked, "option", machine, name);
  const ordered = machine.env["HAWSER_CLI"];
  if (ordered) return locateNamed(ordered, "HAWSER_CLI", machine);

  const tried: string[] = [];
  for (const [source, placesOf] of searchOrder(machine)) {
    const places = placesOf(machine);
    if (source === "package" && places.length === 0)
      tried.push("the npm package @anthropic-ai/claude-code beside hawser");
    for (const place of places) {
      const seen = inspectSearchPath(place, machine);
      if (seen.state === "usable") return { path: seen.path, script: seen.script, source };
      // Most programs bundle no CLI, so this place would mean nothing to the reader.
      if (seen.state !== "missing") tried.push(`${place.path} (${describeReason(seen.reason)})`);
      else if (source !== "bundled") tried.push(place.path);
    }
  }
  throw new HawserError("cli_not_found", undefined, { tried: [...new Set(tried)] });
}

/** A path where `locateCli()` looks for a CLI, and what is there. */
export interface InspectedPath {
  readonly path: string;
  readonly source: CliSource;
  readonly candidate: Candidate;
}

/** Every path that `locateCli()` searches if no CLI is named, in the order of the search. */
export function inspectSearchPaths(options: LocateOptions = {}): InspectedPath[] {
  const machine = thisMachine(options);
  return searchOrder(machine).flatMap(([source, pathsOf]) =>
    pathsOf(machine).map((each) => ({
      path: each.path,
      source,
      candidate: inspectSearchPath(each, machine),
    })),
  );
}

function thisMachine(options: LocateOptions): Machine {
  return machineWith(process.env, options);
}

/**
 * This machine, with a copy of the program's environment. The other facts are looked up when they
 * are needed, because a CLI that the caller names needs none of them.
 */
export function machineWith(hostEnv: Environment, options: LocateOptions): Machine {
  return {
    env: { ...hostEnv, ...options.env },
    platform: process.platform,
    arch: process.arch,
    root: "/",
    // The home of this program, not one that a call gives to the CLI: it may belong to another
    // user.
    get home() {
      return homeFolder();
    },
    get cwd() {
      return currentFolderIfAny();
    },
    get self() {
      return ownFile();
    },
    fromCwd: options.cliFrom === "cwd",
  };
}

function ownFile(): string | undefined {
  try {
    return fileURLToPath(import.meta.url);
  } catch {
    // A bundler has made hawser a part of something that is not a file.
    return undefined;
  }
}

/**
 * The places to search, in their order. Without `cliFrom: "cwd"` the current directory comes last,
 * and every CLI there is refused: the directory is searched only to report it.
 */
function searchOrder({
  fromCwd,
}: Machine): readonly (readonly [CliSource, (machine: Machine) => SearchPath[]])[] {
  return fromCwd ? [CWD, ...SEARCH] : [...SEARCH, CWD];
}

const CWD = ["cwd", cwdPaths] as const;
const SEARCH = [
  ["bundled", bundledPaths],
  ["package", packagePaths],
  ["PATH", (machine: Machine) => pathVariablePaths("claude", machine)],
  ["usual_place", installerPaths],
] as const;

/** The functions that only find the CLI check no other option. */
function checkCliFrom(value: unknown): void {
  if (value === undefined || value === "cwd") return;
  const message = 'cliFrom must be "cwd".';
  throw new HawserError("invalid_options", message, { issues: [{ path: "cliFrom", message }] });
}

function locateNamed(
  asked: string,
  source: "option" | "HAWSER_CLI",
  machine: Machine,
  name: "cliPath" | "pathToClaudeCodeExecutable" | "HAWSER_CLI" = "HAWSER_CLI",
): CliLocation {
  const bare = !/[/\\]/.test(asked);
  const places = bare
    ? pathVariablePaths(asked, machine)
    : [{ path: absolutePath(asked, machine) }];
  const issue = (message: string) => ({ cliPath: asked, issues: [{ path: name, message }] });
  let refused: string | undefined;
  for (const place of places) {
    const found = inspectSearchPath(place, machine);
    if (found.state === "usable") return { path: found.path, script: found.script, source };
    if (found.state !== "missing")
      refused ??= `${place.path} cannot be run: ${describeReason(found.reason)}`;
  }
  if (refused !== undefined) {
    throw new HawserError("cli_not_runnable", `${name} ${refused}.`, issue(refused));
  }
  const where = bare
    ? `no executable "${asked}" is on PATH`
    : `there is no file ${places[0]?.path}`;
  throw new HawserError("cli_not_found", `The CLI that ${name} names was not found: ${where}.`, {
    ...issue(where),
    hint: `Correct \`${name}\`, or leave it unset to search the usual places.`,
  });
}

function inspectSearchPath(place: SearchPath, machine: Machine): Candidate {
  const { path, refused, trustedAs } = place;
  const found = inspectTarget(path, machine);
  if (found.state !== "usable") return found;
  const why = refused ?? (trustedAs === undefined ? undefined : findDistrust(path, trustedAs));
  return why === undefined ? found : { state: "refused", reason: why };
}

function inspectTarget(path: string, { platform }: Machine): Candidate {
  const found = inspectCandidate(path);
  if (platform !== "win32" || found.state !== "usable" || !/\.(cmd|bat)$/i.test(path)) return found;
  const target = shimTarget(path);
  return target === undefined
    ? { state: "unusable", reason: { code: "unknown_shim_target" } }
    : inspectCandidate(target);
}
