import { AssertionError } from "node:assert";
import { readFileSync } from "node:fs";
import { chmod, copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HawserError } from "../base/index.js";
import { TemporaryFolder } from "../process/index.js";
import { readScenario } from "./read-scenario.js";
import type { Scenario } from "./scenario.js";

/** A program that behaves like the CLI, as a scenario describes. */
export interface FakeCli {
  /** Pass this as the `cliPath` option. It is a script for Node, and can also be executed directly. */
  readonly path: string;
  /** What each process started from `path` has received so far, in the order of the starts. */
  recorded(): Promise<readonly RecordedProcess[]>;
  /**
   * The steps that no process has used as often as their `times` says, such as `steps[1]`. A step with
   * `times: "always"` is never listed.
   */
  unused(): readonly string[];
  /** Throws if `unused()` lists a step. Like `recorded()`, call it before `dispose()`. */
  assertDone(): void;
  /** Removes the program. Does not end processes that still run. */
  dispose(): Promise<void>;
  /** Calls `dispose()` at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** How one process of the fake was started, and what it received. */
export interface RecordedProcess {
  readonly pid: number;
  /** The arguments, without the path of the program. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The lines from stdin, unchanged. */
  readonly lines: readonly string[];
  readonly signals: readonly string[];
  /** Whether stdin was closed. */
  readonly eof: boolean;
}

/**
 * Creates a fake CLI: a real process that calls your tools, hooks and permission callbacks as a scenario
 * says. It can also do what a test cannot make the real CLI do, such as die at a certain point, print
 * garbage, or not answer. No CLI needs to be installed.
 *
 * The scenario is an object, or the path or file URL of a `.json` file, or of a `.js` or `.mjs` file
 * with a `ScenarioFile` as its default export.
 *
 * @example
 * ```ts
 * import { complete } from "hawser";
 * import { fakeCli } from "hawser/testing";
 *
 * await using cli = await fakeCli({
 *   steps: [
 *     { on: "user", do: [{ turn: "Hello." }] },
 *     { on: "user", do: [{ write: '{"type":"assis' }, { exit: 1 }] },
 *   ],
 * });
 * const { text } = await complete("Greet me.", { cliPath: cli.path }); // "Hello."
 * ```
 */
export async function fakeCli(scenario: Scenario | string | URL = {}): Promise<FakeCli> {
  const read = await readScenario(scenario);
  const own = new TemporaryFolder(0o700);
  const folder = own.path;
  const path = join(folder, "claude.mjs");
  const record = read.record ?? join(folder, "record.jsonl");
  await writeFile(join(folder, "scenario.json"), read.json);
  await copyProgram(folder, path);
  // Another user may run the program, but not read the record, which may hold secrets.
  if (read.record === undefined) await writeFile(record, "", { mode: 0o600 });
  await chmod(folder, 0o711);

  const dispose = () => own.remove();
  const recorded = async () => replay(entriesOf(await readFile(record, "utf8").catch(noRecord)));
  const unused = () => leftOver(read.times, entriesOf(readRecord(record)));
  const assertDone = () => throwIfAny(unused());
  return { path, recorded, unused, assertDone, dispose, [Symbol.asyncDispose]: dispose };
}

const PROGRAM = fileURLToPath(new URL("./fake-cli", import.meta.url));

async function copyProgram(folder: string, path: string): Promise<void> {
  for (const name of await readdir(PROGRAM)) {
    const copy = name === "main.mjs" ? path : join(folder, name);
    await copyFile(join(PROGRAM, name), copy);
    await chmod(copy, 0o755);
  }
}

type Entry = { readonly pid: number } & (
  | ({ readonly event: "start" } & Pick<RecordedProcess, "argv" | "env" | "cwd">)
  | { readonly event: "line"; readonly line: string }
  | { readonly event: "signal"; readonly signal: string }
  | { readonly event: "step"; readonly place: number }
  | { readonly event: "eof" }
);

interface Mutable extends RecordedProcess {
  readonly lines: string[];
  readonly signals: string[];
  eof: boolean;
}

function readRecord(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    return noRecord(cause);
  }
}

function noRecord(cause: unknown): never {
  const hint = "Call it before dispose(). With `record`, call it after a process has started.";
  const message = `There is no record of the fake CLI: ${(cause as Error).message}`;
  throw new HawserError("invalid_options", message, { hint, cause });
}

function entriesOf(text: string): readonly Entry[] {
  // Without the text after the last line break, because a process may still be writing it.
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Entry);
}

function leftOver(
  times: readonly (number | "always")[],
  entries: readonly Entry[],
): readonly string[] {
  const most = times.map(() => 0);
  const counts = new Map<string, number>();
  for (const entry of entries) {
    if (entry.event !== "step") continue;
    const { pid, place } = entry;
    const count = (counts.get(`${pid} ${place}`) ?? 0) + 1;
    counts.set(`${pid} ${place}`, count);
    most[place] = Math.max(most[place] ?? 0, count);
  }
  return times.flatMap((wanted, place) =>
    wanted === "always" || (most[place] ?? 0) >= wanted ? [] : `steps[${place}]`,
  );
}

function throwIfAny(unused: readonly string[]): void {
  if (unused.length === 0) return;
  const message = `FakeCli: ${unused.join(", ")} ${unused.length === 1 ? "was" : "were"} not used up`;
  throw new AssertionError({ message });
}

function replay(entries: readonly Entry[]): readonly RecordedProcess[] {
  const processes = new Map<number, Mutable>();
  for (const entry of entries) {
    const process = processes.get(entry.pid);
    if (entry.event === "start") {
      const { pid, argv, env, cwd } = entry;
      processes.set(pid, { pid, argv, env, cwd, lines: [], signals: [], eof: false });
    } else if (process !== undefined) note(process, entry);
  }
  return [...processes.values()];
}

function note(process: Mutable, entry: Exclude<Entry, { event: "start" }>): void {
  if (entry.event === "line") process.lines.push(entry.line);
  else if (entry.event === "signal") process.signals.push(entry.signal);
  else if (entry.event === "eof") process.eof = true;
}
