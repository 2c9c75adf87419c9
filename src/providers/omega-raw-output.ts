import { spawn } from "node:child_process";
import { isHawserError } from "../errors/index.js";
import type { Options, SpawnedProcess, SpawnRequest } from "../options/index.js";
import { checkCwd, locateCli } from "../process/index.js";

/**
 * Keeps what the CLI prints, for a program in its place that speaks no JSON. What the library itself
 * reads are messages; a text among them is noise to it, and not kept.
 */
export class RawOutput {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** The same options, with a start of the process that lets this look on. */
  watch(options: Options): Options {
    const { cliPath, pathToClaudeCodeExecutable, ...rest } = options;
    const { path } = locateCli(options);
    checkCwd(options.cwd);
    // Named by its variable the CLI is asked for its version, as it is without a start of our own.
    const env = { ...rest.env, HAWSER_CLI: path };
    return { ...rest, env, spawnClaudeCodeProcess: (request) => this.#start(request) };
  }

  /**
   * The text in place of an answer: only if the process ended well and said nothing of a turn in the
   * CLI's own way, so that half an answer, or a failure, is never taken for one.
   */
  answerFor(error: unknown): string | undefined {
    if (!isHawserError(error, "process_exited") || error.exitCode !== 0) return undefined;
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
    return child;
  }
}

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
