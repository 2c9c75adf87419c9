import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type IPty, spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { onTestFinished } from "vitest";
import { type FakeCli, fakeCli } from "../../src/testing/index.js";
import { BUILT } from "./built.js";
import { NEWEST_CLI } from "./cli.js";

/** The command as it is built. */
export const HAWSER: string = `${BUILT}/bin/main.js`;

/** Registers what ends a resource: `onTestFinished` for one test, or what a block of tests ends with. */
export type AtEnd = (end: () => void | Promise<void>) => void;

export interface PtyOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly cols?: number;
  readonly rows?: number;
  /** When the command is ended; after the test unless given. */
  readonly atEnd?: AtEnd;
}

/** A folder, and a home with nothing in it. */
export function place(atEnd: AtEnd = onTestFinished): { cwd: string; env: Record<string, string> } {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "hawser-bin-")));
  // What was killed may still write for a moment, until the watchdog has ended it too.
  atEnd(() => rmSync(home, { recursive: true, force: true, maxRetries: 20 }));
  const [cwd, TMPDIR] = [join(home, "work"), join(home, "tmp")];
  for (const folder of [cwd, TMPDIR]) mkdirSync(folder);
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, HAWSER_CLI: NEWEST_CLI, TMPDIR };
  return { cwd, env };
}

/** A CLI that begins to answer, and then minds neither an interrupt nor the end of its input. */
export async function deaf(): Promise<FakeCli> {
  const cli = await fakeCli({
    steps: [
      { on: "user", do: [{ init: {} }, { assistant: "Once upon a time" }, { hang: true }] },
      { on: "control", subtype: "interrupt", times: "always", do: [] },
      { on: "SIGTERM", times: "always", do: [] },
    ],
  });
  onTestFinished(() => cli.dispose());
  return cli;
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
  /** All that was written, as it was. */
  raw = "";
  #lastAt = performance.now();
  #ended = false;
  /** Where to look from: what is above was waited for already. */
  #from = 0;

  constructor([file = "", ...args]: readonly string[], options: PtyOptions) {
    const { env, cwd, cols = 100, rows = 40, atEnd = onTestFinished } = options;
    this.#screen = new xterm.Terminal({ cols, rows, scrollback: 5000, allowProposedApi: true });
    this.#pty = spawn(file, args, { name: "xterm-256color", cols, rows, cwd, env: { ...env } });
    this.#pty.onData((data) => {
      this.raw += data;
      this.#lastAt = performance.now();
      this.#screen.write(data, () => this.#look());
    });
    this.exit = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => {
        // The screen takes writes in order: it shows the last words before this one counts.
        this.#screen.write("", () => {
          this.#ended = true;
          resolve({ code: exitCode, signal: signal || undefined });
          this.#look();
        });
      });
    });
    atEnd(async () => {
      await this.#end();
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

  /** By SIGTERM first, because the command then ends all that it has started. */
  async #end(): Promise<void> {
    if (this.#ended) return;
    const timer = setTimeout(() => this.#pty.kill("SIGKILL"), END_MS);
    this.#pty.kill("SIGTERM");
    await this.exit;
    clearTimeout(timer);
  }

  /** As when its window is closed. */
  hangUp(): void {
    (this.#pty as IPty & { destroy(): void }).destroy();
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** Types a line and Enter. */
  enter(line: string): void {
    this.type(`${line}${KEYS.enter}`);
  }

  /**
   * Resolves when the screen shows it, below what was waited for before; says what it shows instead if
   * the program ends, or takes too long.
   */
  async shows(what: string | RegExp): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        const end = endOf(what, this.text, this.#from);
        if (end !== undefined) {
          this.#from = end;
          done();
        } else if (this.#ended) done(new Error(this.#missing(String(what))));
      };
      const timer = setTimeout(() => done(new Error(this.#missing(String(what)))), LIMIT_MS);
      const done = (error?: Error) => {
        clearTimeout(timer);
        this.#looks.delete(look);
        if (error === undefined) resolve();
        else reject(error);
      };
      this.#looks.add(look);
      look();
    });
  }

  #missing(what: string): string {
    const silence = `The program last wrote ${Math.round(performance.now() - this.#lastAt)} ms ago.`;
    return `The screen never showed ${what}. ${silence} ${this.#mode()} It shows:\n${this.text}`;
  }

  /** Tells a program that waits for keys from one that is busy. */
  #mode(): string {
    const { stdout } = spawnSync("stty", ["-F", `/proc/${this.pid}/fd/0`, "-a"]);
    const found = /-?icanon/.exec(String(stdout))?.[0];
    if (found === undefined) return "The mode of its terminal is not known.";
    return found === "icanon" ? "It takes no keys." : "It takes keys.";
  }

  #look(): void {
    for (const look of [...this.#looks]) look();
  }
}

/** Where it ends in the text, if it is there after `from`. */
function endOf(what: string | RegExp, text: string, from: number): number | undefined {
  const rest = text.slice(from);
  if (typeof what === "string") {
    const place = rest.indexOf(what);
    return place < 0 ? undefined : from + place + what.length;
  }
  const found = what.exec(rest);
  return found === null ? undefined : from + found.index + found[0].length;
}

const END_MS = 10_000;

/** Below the limit of a test, so that the screen is told. */
const LIMIT_MS = 50_000;
