import { chmod, copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { HAWSER_VERSION, HawserError } from "../base/index.js";
import { locateCli, probeVersion, TemporaryFolder } from "../process/index.js";
import { CASSETTE_FORMAT, type CassetteHeader } from "./cassette/cassette-format.js";
import { readCassette } from "./cassette/read-cassette.js";
import { refuseUnknownOptions } from "./refuse-unknown-options.js";

/** Where a cassette goes, and what is recorded. */
export interface RecordOptions {
  /** Where the cassette goes. What stands there is replaced. */
  readonly file: string;
  /** The real CLI; searched for as everywhere unless given. */
  readonly cliPath?: string;
}

/** A program between a host and the real CLI that writes down what they say. */
export interface Recorder {
  /** For `cliPath`, or for `pathToClaudeCodeExecutable` of the official SDK. */
  readonly path: string;
  readonly file: string;
  /** Waits for the processes that were started from `path`, then removes it. The cassette stays. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** How exactly the host must repeat itself. */
export interface ReplayOptions {
  /**
   * - `strict` (default): the host must start the CLI with the same arguments and send the same lines
   * - `loose`: the same number of prompts at most, and an answer to each question
   */
  readonly mode?: "strict" | "loose";
}

/** A cassette as a CLI. */
export interface Replay {
  /** For `cliPath`, or for `pathToClaudeCodeExecutable` of the official SDK. */
  readonly path: string;
  /**
   * What the hosts did otherwise than in the cassette. Each of these has ended its process. After
   * `dispose()`, what it was by then.
   */
  mismatches(): Promise<readonly Mismatch[]>;
  /** Removes the program. Processes that still run are not ended. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Where a host did something else than was recorded. */
export interface Mismatch {
  /** Counted from 1; null if there was none left. */
  readonly take: number | null;
  /** The line of the cassette that was to be matched; null if there is none. */
  readonly line: number | null;
  /** Where in the message the first difference is, or which flag it is about. */
  readonly path?: string;
  readonly message: string;
}

/**
 * Records what a host and the CLI say to each other. Secrets and paths of this machine are masked;
 * prompts and answers are not. The cassette is readable by its owner only.
 *
 * @example
 * ```ts
 * await using recorder = await record({ file: "test/cassettes/greeting.jsonl" });
 * await complete("Greet me.", { cliPath: recorder.path });
 * ```
 */
export async function record(options: RecordOptions): Promise<Recorder> {
  refuseUnknownOptions("record()", options, RECORD_OPTIONS);
  const { file, cliPath } = options;
  if (typeof file !== "string" || file === "") {
    const hint = "Give record() the path of the cassette to be written.";
    throw new HawserError("invalid_options", "file must be a path.", { hint });
  }
  const cli = locateCli({ cliPath });
  const { text, failed } = await probeVersion(cli);
  if (failed) {
    const message = `The CLI at ${cli.path} does not tell its version: ${text}.`;
    throw new HawserError("cli_not_runnable", message, { cliPath: cli.path });
  }
  const cassette = resolve(file);
  await writeHeader(cassette, {
    cassette: CASSETTE_FORMAT,
    cli: text,
    by: `hawser ${HAWSER_VERSION}`,
  });
  const config = { file: cassette, cli: cli.path, script: cli.script };
  const { folder, path } = await install("recorder.mjs", { "recorder.json": config });

  const dispose = async () => {
    await ended(folder.path);
    await folder.remove();
  };
  return { path, file: cassette, dispose, [Symbol.asyncDispose]: dispose };
}

/**
 * Makes a CLI of a cassette. It needs neither a real one nor a model. Each process that is started
 * from its `path` plays one take.
 *
 * @example
 * ```ts
 * await using cli = await replay("test/cassettes/greeting.jsonl");
 * const { text } = await complete("Greet me.", { cliPath: cli.path });
 * expect(await cli.mismatches()).toEqual([]);
 * ```
 */
export async function replay(file: string, options: ReplayOptions = {}): Promise<Replay> {
  refuseUnknownOptions("replay()", options, REPLAY_OPTIONS);
  const { mode = "strict" } = options;
  if (mode !== "strict" && mode !== "loose") {
    const hint = 'Give replay() mode: "strict" or "loose".';
    throw new HawserError("invalid_options", `There is no mode ${JSON.stringify(mode)}.`, { hint });
  }
  const { header, takes } = await readCassette(file);
  const config = { mode, cli: header.cli, takes };
  const { folder, path } = await install("player.mjs", { "cassette.json": config });
  const noted = join(folder.path, "mismatches.jsonl");
  await writeFile(noted, "", { mode: 0o600 });

  let kept: Promise<readonly Mismatch[]> | undefined;
  const read = async (): Promise<readonly Mismatch[]> => {
    // Without its last part: a process may be just writing it.
    const lines = (await readFile(noted, "utf8")).split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Mismatch);
  };
  const mismatches = () => kept ?? read();
  const dispose = async () => {
    kept ??= read();
    // Who asks for them learns why they are not there; the folder goes all the same.
    await kept.catch(() => {});
    await folder.remove();
  };
  return { path, mismatches, dispose, [Symbol.asyncDispose]: dispose };
}

const RECORD_OPTIONS = { file: true, cliPath: true } satisfies Record<keyof RecordOptions, true>;
const REPLAY_OPTIONS = { mode: true } satisfies Record<keyof ReplayOptions, true>;

async function writeHeader(file: string, header: CassetteHeader): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify(header)}\n`, { mode: 0o600 });
    // A file that was there keeps its mode.
    await chmod(file, 0o600);
  } catch (cause) {
    const message = `The cassette ${file} cannot be written: ${(cause as Error).message}`;
    const hint = "Give record() a path in a folder that is writable.";
    throw new HawserError("invalid_options", message, { hint, cause });
  }
}

const PROGRAM = fileURLToPath(new URL("./cassette/program", import.meta.url));

/** Copies the programs to a folder of their own, where the one that is started is `claude.mjs`. */
async function install(
  main: string,
  files: Readonly<Record<string, unknown>>,
): Promise<{ readonly folder: TemporaryFolder; readonly path: string }> {
  const folder = new TemporaryFolder(0o700);
  const path = join(folder.path, "claude.mjs");
  for (const name of await readdir(PROGRAM)) {
    await copyFile(join(PROGRAM, name), join(folder.path, name === main ? "claude.mjs" : name));
  }
  await chmod(path, 0o755);
  for (const [name, value] of Object.entries(files)) {
    await writeFile(join(folder.path, name), JSON.stringify(value), { mode: 0o600 });
  }
  return { folder, path };
}

/** Longer than a host takes to end a process that does not want to. */
const END_MS = 10_000;

/** A call may have its answer before its process has ended, and the cassette its last entry. */
async function ended(folder: string): Promise<void> {
  const limit = Date.now() + END_MS;
  while (Date.now() < limit) {
    const names = await readdir(folder).catch((): string[] => []);
    const takes = names.filter((name) => name.startsWith("take-"));
    const pids = await Promise.all(takes.map((name) => readFile(join(folder, name), "utf8")));
    if (!pids.some((pid) => isRunning(Number(pid)))) return;
    await sleep(20);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Another user's cannot be signalled, but is there.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
