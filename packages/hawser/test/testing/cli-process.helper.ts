import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export type Line = Readonly<Record<string, unknown>>;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A real or fake CLI without the library. */
export class CliProcess {
  readonly child: ChildProcess;
  readonly lines: Line[] = [];
  /** Lines that are not JSON. */
  readonly noise: string[] = [];
  readonly exit: Promise<Exit>;
  /** Resolves when stdout has ended. */
  readonly closedStdout: Promise<void>;
  /** Resolves when the process has exited and all its output is read. */
  readonly closed: Promise<void>;
  readonly chunks: Buffer[] = [];
  stderr = "";
  #rest: Buffer[] = [];
  #waiting: (() => void)[] = [];
  #ended = false;

  constructor(
    file: string,
    args: readonly string[],
    options: { readonly env: Readonly<Record<string, string>>; readonly cwd?: string },
  ) {
    const script = file.endsWith(".mjs");
    this.child = spawn(script ? process.execPath : file, script ? [file, ...args] : args, {
      ...options,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.child.stdin?.on("error", () => {
      // The exit reports a peer that has ended.
    });
    this.child.stdout?.on("data", (chunk: Buffer) => this.#take(chunk));
    this.closedStdout = new Promise((resolve) => {
      this.child.stdout?.on("close", () => {
        this.#ended = true;
        this.#wake();
        resolve();
      });
    });
    this.closed = once(this.child, "close").then(() => {});
    this.child.stderr?.on("data", (chunk: Buffer) => {
      this.stderr += chunk.toString("utf8");
      this.#wake();
    });
    this.exit = once(this.child, "exit").then(([code, signal]) => ({ code, signal }) as Exit);
  }

  send(line: Line | string): void {
    this.child.stdin?.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
  }

  /** Sends a prompt and returns the lines up to its result. */
  async turn(prompt: string): Promise<readonly Line[]> {
    const from = this.lines.length;
    this.send({
      type: "user",
      message: { role: "user", content: [{ type: "text", text: prompt }] },
    });
    const result = await this.line((line) => line["type"] === "result", from);
    return this.lines.slice(from, this.lines.indexOf(result) + 1);
  }

  /** Waits for the first line from `from` on that fits. */
  async line(fits: (line: Line) => boolean, from = 0): Promise<Line> {
    const find = () => this.lines.slice(from).find(fits);
    await this.until(() => find() !== undefined);
    return find() as Line;
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.#ended) throw new Error(`stdout ended before that; stderr: ${this.stderr}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  get stdout(): Buffer {
    return Buffer.concat(this.chunks);
  }

  /** Ends stdin and waits for the exit. */
  async end(): Promise<Exit> {
    this.child.stdin?.end();
    return this.exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.exit;
  }

  #take(chunk: Buffer): void {
    this.chunks.push(chunk);
    let from = 0;
    for (let lf = chunk.indexOf(10); lf !== -1; lf = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...this.#rest, chunk.subarray(from, lf)]).toString("utf8");
      this.#rest = [];
      from = lf + 1;
      if (line.startsWith("{")) this.lines.push(JSON.parse(line) as Line);
      else this.noise.push(line);
    }
    this.#rest.push(chunk.subarray(from));
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

export const STREAM_JSON: readonly string[] = [
  "--output-format",
  "stream-json",
  "--verbose",
  "--input-format",
  "stream-json",
];
