import { fileURLToPath } from "node:url";
import { type IPty, spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { onTestFinished } from "vitest";

const DIST = process.env["HAWSER_DIST"] ?? fileURLToPath(new URL("../../dist", import.meta.url));

/** The command as it is built. */
export const HAWSER: string = `${DIST}/bin/main.js`;

export interface PtyOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly cols?: number;
  readonly rows?: number;
}

/** Keys that are not letters. */
export const KEYS = { enter: "\r", ctrlC: "\x03", ctrlD: "\x04", up: "\x1b[A" } as const;

/** The command in a real pseudo-terminal, seen as a person sees it: through a terminal's screen. */
export function hawserIn(options: PtyOptions, ...args: readonly string[]): Pty {
  return new Pty([process.execPath, HAWSER, ...args], options);
}

export class Pty {
  readonly #pty: IPty;
  readonly #screen: xterm.Terminal;
  readonly #looks = new Set<() => void>();
  readonly exit: Promise<{ readonly code: number; readonly signal: number | undefined }>;
  #ended = false;

  constructor([file = "", ...args]: readonly string[], options: PtyOptions) {
    const { env, cwd, cols = 100, rows = 40 } = options;
    this.#screen = new xterm.Terminal({ cols, rows, scrollback: 5000, allowProposedApi: true });
    this.#pty = spawn(file, args, { name: "xterm-256color", cols, rows, cwd, env: { ...env } });
    this.#pty.onData((data) => this.#screen.write(data, () => this.#look()));
    this.exit = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => {
        this.#ended = true;
        // What was written last is on the screen then.
        this.#screen.write("", () => {
          resolve({ code: exitCode, signal: signal || undefined });
          this.#look();
        });
      });
    });
    onTestFinished(() => {
      if (!this.#ended) this.#pty.kill("SIGKILL");
      this.#screen.dispose();
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** All lines so far, those that have scrolled away included. */
  get text(): string {
    const { active } = this.#screen.buffer;
    const lines = Array.from({ length: active.length }, (_, row) => {
      return active.getLine(row)?.translateToString(true) ?? "";
    });
    return lines.join("\n").trimEnd();
  }

  /** The last line with something on it. */
  get lastLine(): string {
    return this.text.split("\n").at(-1) ?? "";
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** Types a line and Enter. */
  enter(line: string): void {
    this.type(`${line}${KEYS.enter}`);
  }

  /** Resolves when the screen shows it; says what it shows instead if the program ends before. */
  async shows(what: string | RegExp): Promise<void> {
    await this.until(
      (text) => (typeof what === "string" ? text.includes(what) : what.test(text)),
      String(what),
    );
  }

  async until(fits: (text: string) => boolean, what = "what was waited for"): Promise<void> {
    if (fits(this.text)) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => end(new Error(this.#missing(what))), LIMIT_MS);
      const look = () => {
        if (fits(this.text)) end();
        else if (this.#ended) end(new Error(this.#missing(what)));
      };
      const end = (error?: Error) => {
        clearTimeout(timer);
        this.#looks.delete(look);
        if (error === undefined) resolve();
        else reject(error);
      };
      this.#looks.add(look);
    });
  }

  #missing(what: string): string {
    return `The screen never showed ${what}. It shows:\n${this.text}`;
  }

  #look(): void {
    for (const look of [...this.#looks]) look();
  }
}

/** Below the limit of a test, so that the screen is told. */
const LIMIT_MS = 50_000;
