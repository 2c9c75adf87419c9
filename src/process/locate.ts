import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { type Environment, HawserError } from "../errors/index.js";
import { inspectCandidate } from "./candidate.js";
import {
  absolute,
  bundledPlaces,
  type Machine,
  packagePlaces,
  pathPlaces,
  usualPlaces,
} from "./places.js";
import { shimTarget } from "./shim.js";

export type CliSource = "option" | "HAWSER_CLI" | "bundled" | "package" | "PATH" | "usual place";

/** An executable that was found and looked at; nothing was started. */
export interface CliLocation {
  readonly path: string;
  readonly source: CliSource;
  /** Runs under Node instead of by itself. */
  readonly script: boolean;
}

/** Where to look for the CLI. */
export interface LocateOptions {
  /** A path, or a bare name to be found on PATH. Nothing else is tried when it is given. */
  readonly cliPath?: string | undefined;
  /** Alias of `cliPath`, as in the official SDK. */
  readonly pathToClaudeCodeExecutable?: string | undefined;
  /** The environment to search; this program's own unless given. */
  readonly env?: Environment | undefined;
}

/**
 * Finds the CLI: the option, `HAWSER_CLI`, a bundled one, an installed npm package, PATH, the usual
 * places. The first two are orders, so a bad one is an error; the others are passed over.
 */
export function locateCli(
  options: LocateOptions = {},
  machine: Machine = thisMachine(options),
): CliLocation {
  const asked = options.cliPath ?? options.pathToClaudeCodeExecutable;
  if (asked !== undefined) return locateAsked(asked, "option", machine);
  const ordered = machine.env["HAWSER_CLI"];
  if (ordered) return locateAsked(ordered, "HAWSER_CLI", machine);

  const tried: string[] = [];
  for (const [source, places] of SEARCH) {
    const found = places(machine);
    if (source === "package" && found.length === 0)
      tried.push("npm package @anthropic-ai/claude-code");
    for (const place of found) {
      const seen = look(place, machine);
      if (seen.state === "usable") return { path: seen.path, script: seen.script, source };
      tried.push(seen.state === "missing" ? place : `${place} (${seen.reason})`);
    }
  }
  throw new HawserError("cli_not_found", undefined, { hint: notFoundHint(tried) });
}

export function thisMachine(options: LocateOptions = {}): Machine {
  return {
    env: { ...process.env, ...options.env },
    platform: process.platform,
    arch: process.arch,
    home: options.env?.["HOME"] ?? homedir(),
    program: isAbsolute(process.argv[1] ?? "") ? process.argv[1] : undefined,
    cwd: ownCwd(),
    self: import.meta.url,
  };
}

export const SEARCH: readonly (readonly [CliSource, (machine: Machine) => string[]])[] = [
  ["bundled", bundledPlaces],
  ["package", packagePlaces],
  ["PATH", (machine) => pathPlaces("claude", machine)],
  ["usual place", usualPlaces],
];

function locateAsked(
  asked: string,
  source: "option" | "HAWSER_CLI",
  machine: Machine,
): CliLocation {
  const name = source === "option" ? "cliPath" : source;
  const bare = !/[/\\]/.test(asked);
  const places = bare ? pathPlaces(asked, machine) : [absolute(asked, machine)];
  let refused: string | undefined;
  for (const place of places) {
    const found = look(place, machine);
    if (found.state === "usable") return { path: found.path, script: found.script, source };
    if (found.state === "unusable") refused ??= `${name} ${place} cannot be run: ${found.reason}.`;
  }
  if (refused !== undefined) throw new HawserError("cli_not_runnable", refused, { cliPath: asked });
  const where = bare ? `no executable "${asked}" is on PATH` : `there is no file ${places[0]}`;
  throw new HawserError("cli_not_found", `The CLI that ${name} names was not found: ${where}.`, {
    cliPath: asked,
    hint: `Correct ${name}, or leave it unset to search the usual places.`,
  });
}

function ownCwd(): string | undefined {
  try {
    return process.cwd();
  } catch {
    // It has been deleted under this program.
    return undefined;
  }
}

export function look(place: string, machine: Machine): ReturnType<typeof inspectCandidate> {
  const found = inspectCandidate(place);
  if (machine.platform !== "win32" || found.state !== "usable" || !/\.(cmd|bat)$/i.test(place)) {
    return found;
  }
  const target = shimTarget(place);
  return target === undefined
    ? { state: "unusable", reason: "it is a command file whose target is not known" }
    : inspectCandidate(target);
}

function notFoundHint(tried: readonly string[]): string {
  return [
    "Install it with `npm install -g @anthropic-ai/claude-code`, or set `cliPath` or HAWSER_CLI. Tried:",
    ...tried.map((place) => `  ${place}`),
  ].join("\n");
}
