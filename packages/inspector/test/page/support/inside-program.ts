import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../programs/inside.js", import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field of a line.
type Line = any;

/** A program of its own with `inspector()` and one session, that a test can kill. */
export class InsideProgram {
  readonly #child: ChildProcess;
  readonly #lines: Line[] = [];
  #wake: () => void = () => {};

  static async start(env: Readonly<Record<string, string>>, cwd: string): Promise<InsideProgram> {
    const program = new InsideProgram(env, cwd);
    await program.said(({ ready }) => ready !== undefined);
    return program;
  }

  private constructor(env: Readonly<Record<string, string>>, cwd: string) {
    this.#child = spawn(process.execPath, [PROGRAM], {
      env,
      cwd,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    lines.on("line", (line) => {
      this.#lines.push(JSON.parse(line));
      this.#wake();
    });
    this.#child.once("exit", () => this.#wake());
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  tell(line: object): void {
    this.#child.stdin?.write(`${JSON.stringify(line)}\n`);
  }

  /** The first line that fits, also if it was printed before. */
  async said(fits: (line: Line) => boolean): Promise<Line> {
    for (;;) {
      const found = this.#lines.find(fits);
      if (found !== undefined) return found;
      if (this.#hasEnded) throw new Error(`The program has ended: ${this.#child.exitCode}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Ends the program at once, as a crash does. */
  async kill(): Promise<void> {
    if (this.#hasEnded) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }

  /** Ends the program as it ends by itself, with its CLI. */
  async close(): Promise<void> {
    if (this.#hasEnded) return;
    const exited = once(this.#child, "exit");
    this.#child.stdin?.end();
    await exited;
  }
}
