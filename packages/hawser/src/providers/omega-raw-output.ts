import { type ChildProcess, spawn } from "node:child_process";
import { Writable } from "node:stream";
import { type ErrorCode, isHawserError } from "../base/index.js";
import type { Options, SpawnedProcess, SpawnRequest } from "../options/index.js";
import { checkCli, checkCwd, locateCli } from "../process/index.js";

/**
 * Keeps what the CLI prints, for a program in its place that speaks no JSON. What the library itself
 * reads are messages; a text among them is noise to it, and not kept.
 */
export class RawOutput {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isOtherProgram = false;

  /** The same options, with a start of the process that lets this look on. */
  async watch(options: Options): Promise<Options> {
    const { cliPath, pathToClaudeCodeExecutable, ...rest } = options;
    const { path } = locateCli(options);
    checkCwd(options.cwd);
    const { runnable, version } = await checkCli({ cliPath: path, env: rest.env });
    // A CLI that is too slow to say its version is not runnable by this report, and stays a CLI here.
    this.#isOtherProgram = runnable && version === undefined;
    // Named by its variable the CLI is asked for its version, as it is without a start of our own.
    const env = { ...rest.env, HAWSER_CLI: path };
    return { ...rest, env, spawnClaudeCodeProcess: (request) => this.#start(request) };
  }

  /**
   * The text in place of an answer: only if the process ended well and said nothing of a turn in the
   * CLI's own way, so that half an answer, or a failure, is never taken for one.
   */
  answerFor(error: unknown): string | undefined {
    if (!isHawserError(error) || !ENDS.has(error.code) || error.exitCode !== 0) return undefined;
    if (this.#bytes > MOST_BYTES) return undefined;
    const lines = Buffer.concat(this.#chunks).toString("utf8").split("\n");
    const plain = lines.filter((line) => !isControl(typeOf(line)));
    const text = plain.join("\n").trim();
    return text === "" || plain.some((line) => typeOf(line) !== undefined) ? undefined : text;
  }

  #start({ command, args, cwd, env }: SpawnRequest): SpawnedProcess {
    this.#chunks = [];
    this.#bytes = 0;
    const child = spawn(command, args, {
      env,
      stdio: "pipe",
      detached: process.platform !== "win32",
      windowsHide: true,
      ...(cwd === undefined ? {} : { cwd }),
    });
    // At EMFILE Node gives a child without pipes, and reports the error to the one who gets the child.
    child.stdout?.on("data", (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes <= MOST_BYTES) this.#chunks.push(chunk);
      else this.#chunks = [];
    });
    if (this.#isOtherProgram) endInputAfterPrompt(child);
    return child;
  }
}

/**
 * A program that is not the CLI may read its input to the end before it prints anything, and the input
 * of a CLI stays open for the whole call. So the input ends with the prompt, and what the library writes
 * later is dropped: such a program does not understand it.
 */
function endInputAfterPrompt(child: ChildProcess): void {
  const { stdin } = child;
  // At EMFILE there is none.
  if (!stdin) return;
  const input = new Writable({
    decodeStrings: false,
    write(line: string | Buffer, _encoding, done) {
      if (stdin.writableEnded) return done();
      const isPrompt = typeOf(String(line)) === "user";
      stdin.write(line, done);
      if (isPrompt) stdin.end();
    },
    final(done) {
      stdin.end(() => done());
    },
  });
  stdin.on("error", (error) => input.destroy(error));
  child.stdin = input;
}

/** How the library reports a program that ended: the second if the program has said no version either. */
const ENDS: ReadonlySet<string> = new Set<ErrorCode>(["process_exited", "cli_not_runnable"]);

/** More than any answer has; a long conversation in JSON is not kept to its end. */
const MOST_BYTES = 16 * 1024 * 1024;

/** The type of the message that a line is, if it is one. */
function typeOf(line: string): string | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    const { type } = JSON.parse(line) as { readonly type?: unknown };
    return typeof type === "string" ? type : undefined;
  } catch {
    return undefined;
  }
}

/** What is said about the line itself, such as the answer to initialize. */
function isControl(type: string | undefined): boolean {
  return type?.startsWith("control_") ?? false;
}
