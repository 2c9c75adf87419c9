import { chmod, copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { HAWSER_VERSION, HawserError } from "../base/index.js";
import { locateCli, probeVersion, TemporaryFolder } from "../process/index.js";
import { CASSETTE_FORMAT, type CassetteHeader } from "./cassette/cassette-format.js";
import { readCassette } from "./cassette/read-cassette.js";
import { refuseUnknownOptions } from "./refuse-unknown-options.js";

/** Options of `record()`. */
export interface RecordOptions {
  /** Path of the cassette. An existing file is replaced. */
  readonly file: string;
  /**
   * Path of the real CLI.
   * @default the CLI that a call would find
   */
  readonly cliPath?: string;
}

/** A program between your program (the host) and the real CLI that records both directions. */
export interface Recorder {
  /** For `cliPath`, or for `pathToClaudeCodeExecutable` of the official SDK. */
  readonly path: string;
  /** The absolute path of the cassette. */
  readonly file: string;
  /** Waits for the processes started from `path`, then removes the program. The cassette stays. */
  dispose(): Promise<void>;
  /** Calls `dispose()` at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Options of `replay()`. */
export interface ReplayOptions {
  /**
   * How exactly the host must repeat the recording:
   * - `strict`: the host must start the CLI with the same arguments and send the same lines
   * - `loose`: the host may send at most as many prompts, and must answer each question
   * @default "strict"
   */
  readonly mode?: "strict" | "loose";
}

/** A program that plays a cassette as if it were the CLI. */
export interface Replay {
  /** For `cliPath`, or for `pathToClaudeCodeExecutable` of the official SDK. */
  readonly path: string;
  /**
   * Where the host differed from the cassette. Each mismatch has ended its process. After `dispose()`,
   * the mismatches until then.
   */
  mismatches(): Promise<readonly Mismatch[]>;
  /** Removes the program. Does not end processes that still run. */
  dispose(): Promise<void>;
  /** Calls `dispose()` at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A difference between the host and the cassette. */
export interface Mismatch {
  /** The number of the take, from 1; null if no take was left. */
  readonly take: number | null;
  /** The line of the cassette that the host should have matched; null if there is none. */
  readonly line: number | null;
  /** The place of the first difference in the message, or the flag that differs. */
  readonly path?: string;
  readonly message: string;
}

/**
 * Records the messages between your program (the host) and the CLI. Secrets and paths of this machine
 * are masked; prompts and answers are not. Only the owner can read the cassette.
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
    const message = `The CLI at ${cli.path} failed when asked for its version: ${text}.`;
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
 * Creates a program that plays a cassette. It needs neither the real CLI nor a model. Each process that
 * is started from its `path` plays one take (one recorded process).
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
    throw new HawserError("invalid_options", `There is no replay mode ${JSON.stringify(mode)}.`, {
      hint,
    });
  }
  const { header, takes } = await readCassette(file);
  const config = { mode, cli: header.cli, takes };
  const { folder, path } = await install("player.mjs", { "cassette.json": config });
  const noted = join(folder.path, "mismatches.jsonl");
  await writeFile(noted, "", { mode: 0o600 });

  let kept: Promise<readonly Mismatch[]> | undefined;
  const read = async (): Promise<readonly Mismatch[]> => {
    // Without the text after the last line break, because a process may still be writing it.
    const lines = (await readFile(noted, "utf8")).split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Mismatch);
  };
  const mismatches = () => kept ?? read();
  const dispose = async () => {
    kept ??= read();
    // mismatches() rejects with this error; the folder is removed in any case.
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
    // writeFile() does not change the mode of an existing file.
    await chmod(file, 0o600);
  } catch (cause) {
    const message = `The cassette ${file} cannot be written: ${(cause as Error).message}`;
    const hint = "Give record() a path in a writable folder.";
    throw new HawserError("invalid_options", message, { hint, cause });
  }
}

const PROGRAM = fileURLToPath(new URL("./cassette/program", import.meta.url));

/** Copies the programs to a temporary folder. The program to start is `claude.mjs` there. */
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

/** Longer than a host takes to end a process that does not exit by itself. */
const END_MS = 10_000;

/** A call can resolve before its process has ended and the cassette has its last entry. */
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
    // EPERM: a process of another user exists, but cannot be signalled.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
