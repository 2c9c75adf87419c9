import { type ChildProcess, spawn } from "node:child_process";
import { Writable } from "node:stream";
import { type ErrorCode, isHawserError } from "../../base/index.js";
import type { Options, SpawnedProcess, SpawnRequest } from "../../options/index.js";
import { checkCli, checkCwd, locateCli } from "../../process/index.js";

/**
 * Keeps the output of a program that is run in place of the CLI and prints no JSON. The library itself
 * reads only messages and drops other text.
 */
export class RawOutput {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isOtherProgram = false;

  /** The options with a spawn function that records the output. */
  async watch(options: Options): Promise<Options> {
    const { cliPath, pathToClaudeCodeExecutable, ...rest } = options;
    const { path } = locateCli(options);
    checkCwd(options.cwd);
    const { runnable, version } = await checkCli({ cliPath: path, env: rest.env });
    // A CLI that is too slow to print its version is reported as not runnable, but it is still a CLI.
    this.#isOtherProgram = runnable && version === undefined;
    // With the path in HAWSER_CLI, the library asks the CLI for its version, as without a spawn function.
    const env = { ...rest.env, HAWSER_CLI: path };
    return { ...rest, env, spawnClaudeCodeProcess: (request) => this.#start(request) };
  }

  /**
   * The text to use as the answer. Only if the process ended with 0 and printed no message of a turn in
   * the CLI's format, so that half an answer or a failure never counts as an answer.
   */
  answerFor(error: unknown): string | undefined {
    if (!isHawserError(error) || !EXIT_CODES.has(error.code) || error.exitCode !== 0)
      return undefined;
    if (this.#bytes > MAX_BYTES) return undefined;
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
    // At EMFILE Node returns a child without pipes, and emits the error on the child.
    child.stdout?.on("data", (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes <= MAX_BYTES) this.#chunks.push(chunk);
      else this.#chunks = [];
    });
    if (this.#isOtherProgram) endInputAfterPrompt(child);
    return child;
  }
}

/**
 * Ends the input with the prompt and drops later writes of the library. A program that is not the CLI
 * may read its input to the end before it prints anything, and does not understand later lines.
 */
function endInputAfterPrompt(child: ChildProcess): void {
  const { stdin } = child;
  // At EMFILE there is no stdin.
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

/** The codes of an ended program; the second one if it printed no version either. */
const EXIT_CODES: ReadonlySet<string> = new Set<ErrorCode>(["process_exited", "cli_not_runnable"]);

/** More than any answer has. The output of a long conversation in JSON is not kept. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The type of the message on a line, if the line is a message. */
function typeOf(line: string): string | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    const { type } = JSON.parse(line) as { readonly type?: unknown };
    return typeof type === "string" ? type : undefined;
  } catch {
    return undefined;
  }
}

/** Messages of the control protocol, such as the answer to initialize. */
function isControl(type: string | undefined): boolean {
  return type?.startsWith("control_") ?? false;
}
