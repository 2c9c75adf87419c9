import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished } from "vitest";
import { BUILT_ROOT } from "./built.js";
import { until } from "./proc.js";

/** The built library, as a user's program imports it. */
export const DIST: string = BUILT_ROOT;

export interface UserProgram {
  readonly child: ChildProcessWithoutNullStreams;
  /** Exit code and signal. */
  readonly closed: Promise<[number | null, NodeJS.Signals | null]>;
  /** The whole lines that the program has printed so far. */
  lines(): string[];
  stderr(): string;
}

export interface UserProgramOptions {
  /** Flags of Node. */
  readonly flags?: readonly string[];
  /** A command, with its arguments, that starts Node. */
  readonly before?: readonly string[];
}

/** Starts a module as a program of its own, with `argument` as `process.argv[1]`. */
export function startUserProgram(
  source: string,
  argument: string,
  { flags = [], before = [] }: UserProgramOptions = {},
): UserProgram {
  const node = [process.execPath, ...flags, "--input-type=module", "-e", source, argument];
  const [file = "", ...args] = [...before, ...node];
  const child = spawn(file, args);
  onTestFinished(() => void child.kill("SIGKILL"));
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString();
  });
  return { child, closed, lines: () => out.split("\n").slice(0, -1), stderr: () => err };
}

/** The process id that the program prints as its first line. */
export async function printedPid({ child, lines, stderr }: UserProgram): Promise<number> {
  const first = await until(() => lines()[0] ?? (child.exitCode !== null && stderr()));
  const pid = Number(first);
  expect(pid).toBeGreaterThan(0);
  return pid;
}
