import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { nativeCli } from "../../../../tools/native-cli.js";

const HAWSER = fileURLToPath(new URL("../../../hawser/dist/bin/main.js", import.meta.url));
const INSPECTED = fileURLToPath(new URL("./programs/inspected.js", import.meta.url));

/** A program that a test has started. */
export interface Started {
  readonly child: ChildProcess;
  /** The first line that it printed, as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field.
  readonly first: any;
}

/** A user with folders of its own, who runs `hawser inspect` and other programs. */
export class CommandWorld {
  /** Short, because the path of a socket has at most 107 characters. */
  readonly folder: string = mkdtempSync("/tmp/hi-");
  readonly #children: ChildProcess[] = [];

  /** A folder that comes first in PATH. */
  get binFolder(): string {
    return join(this.folder, "bin");
  }

  get env(): Record<string, string> {
    return {
      PATH: `${this.binFolder}:${process.env["PATH"] ?? ""}`,
      HOME: this.folder,
      XDG_RUNTIME_DIR: this.folder,
      XDG_STATE_HOME: join(this.folder, "state"),
      HAWSER_CLI: nativeCli("@anthropic-ai/claude-code"),
      TEST_CLI: nativeCli("@anthropic-ai/claude-code"),
    };
  }

  /** `hawser inspect` with these arguments. */
  inspect(...args: readonly string[]): Promise<Started> {
    return this.#start([HAWSER, "inspect", "--json", ...args]);
  }

  /** Starts `hawser inspect` with another PATH. */
  inspectWithPath(path: string, ...args: readonly string[]): Promise<Started> {
    return this.#start([HAWSER, "inspect", "--json", ...args], { ...this.env, PATH: path });
  }

  /** `hawser serve` with these arguments. */
  serve(...args: readonly string[]): Promise<Started> {
    return this.#start([HAWSER, "serve", "--json", "--offline", ...args]);
  }

  /** Runs another command to its end. Returns what it printed. */
  async run(...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, [HAWSER, ...args], {
      env: this.env,
      cwd: this.folder,
    });
    return stdout;
  }

  /** A program with one session. Lines on its stdin are prompts. */
  program(): Promise<Started> {
    return this.#start([INSPECTED]);
  }

  async close(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, "exit");
      // The program with a session ends at the end of its input, and ends its CLI.
      child.stdin?.end();
      if (!child.spawnargs.includes(INSPECTED)) child.kill("SIGTERM");
      await exited;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #start(
    args: readonly string[],
    env: Readonly<Record<string, string>> = this.env,
  ): Promise<Started> {
    const child = spawn(process.execPath, args, {
      env,
      cwd: this.folder,
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#children.push(child);
    const line = await firstLine(child);
    return { child, first: JSON.parse(line) };
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  for await (const line of lines) {
    // What follows is dropped, so that the program never waits for a reader.
    child.stdout?.resume();
    return line;
  }
  throw new Error(`The program has ended: ${child.exitCode ?? child.signalCode}`);
}

/** Ends a program at once, as a crash does. */
export async function kill({ child }: Started): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
