import { AssertionError } from "node:assert";
import { readFileSync } from "node:fs";
import { chmod, copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HawserError } from "../base/index.js";
import { TemporaryFolder } from "../process/index.js";
import { readScenario } from "./read-scenario.js";
import type { Scenario } from "./scenario.js";

/** A program that plays the CLI's part from a scenario. */
export interface FakeCli {
  /** For the `cliPath` option. A script that runs under Node, executable by itself too. */
  readonly path: string;
  /** What each process that was started from `path` has received so far, in the order of starts. */
  recorded(): Promise<readonly RecordedProcess[]>;
  /**
   * The steps that no process has used as often as they say, such as `steps[1]`. One that is to serve
   * "always" need not be used at all.
   */
  unused(): readonly string[];
  /** Throws if a step was left over. Like `recorded()`, it can be asked until `dispose()`. */
  assertDone(): void;
  /** Removes the program. Processes that still run are not ended. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What one process of the fake was started with, and was sent. */
export interface RecordedProcess {
  readonly pid: number;
  /** The arguments after the program's own path. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The lines from stdin, as they came. */
  readonly lines: readonly string[];
  readonly signals: readonly string[];
  /** Whether stdin has ended. */
  readonly eof: boolean;
}

/**
 * Makes a fake CLI: a real process that calls tools, hooks and permission callbacks as it is told, and
 * for what the real CLI cannot be made to show, such as dying at a certain point, printing garbage, or
 * not answering. It needs no CLI to be installed.
 *
 * The scenario is an object, or the path or file URL of a `.json` file, or of a `.js` or `.mjs` file
 * with a `ScenarioFile` as its default export.
 *
 * @example
 * ```ts
 * await using cli = await fakeCli({
 *   steps: [
 *     { on: "user", do: [{ turn: "Hello." }] },
 *     { on: "user", do: [{ write: '{"type":"assis' }, { exit: 1 }] },
 *   ],
 * });
 * await complete("Greet me.", { cliPath: cli.path }); // resolves; a second prompt would see it die
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
  // Another user may run the program, but not read what came in: that may hold secrets.
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
  const hint = "Ask before dispose(); or, with `record`, once a process has been started.";
  const message = `There is no record of the fake CLI: ${(cause as Error).message}`;
  throw new HawserError("invalid_options", message, { hint, cause });
}

function entriesOf(text: string): readonly Entry[] {
  // Without its last part: a process may be just writing it.
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
