import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { SessionOptions } from "hawser";
import { nativeCli } from "../../../../tools/native-cli.js";
import type { WorkOptions } from "../../src/worker/worker.js";

export interface HostOptions {
  readonly name: string;
  /** The URL of the database. */
  readonly database: string;
  readonly modelUrl: string;
  /** A folder that all hosts of a test share: workspaces, and the files that hold a host at a step. */
  readonly folder: string;
  /** Options of the profile "default" that are plain data. */
  readonly profile?: SessionOptions;
  /** Options of the worker that are plain data. */
  readonly work?: Partial<WorkOptions>;
  /** A person is asked about calls that match this pattern. */
  readonly approve?: string;
  /** @default the newest CLI */
  readonly cliPath?: string;
  /** Put before the command of the host, for example to run it in a network of its own. */
  readonly command?: readonly string[];
  /** Addresses other than loopback that its CLIs may reach. */
  readonly noProxy?: string;
}

/** A worker in a process of its own, in a process group of its own, with a home of its own. */
export class Host {
  readonly name: string;
  readonly lines: Readonly<Record<string, unknown>>[] = [];
  readonly #child: ChildProcess;
  readonly #options: HostOptions;
  readonly #exited: Promise<unknown>;
  readonly #place: string;
  #stderr = "";

  private constructor(options: HostOptions) {
    this.name = options.name;
    this.#options = options;
    this.#place = join(options.folder, `host-${options.name}`);
    for (const name of ["home", "tmp"]) mkdirSync(join(this.#place, name), { recursive: true });
    const cliPath = options.cliPath ?? nativeCli("@anthropic-ai/claude-code");
    const [program = "", ...args] = [...(options.command ?? []), process.execPath, PROGRAM];
    this.#child = spawn(program, args, {
      env: {
        PATH: process.env["PATH"],
        HOME: join(this.#place, "home"),
        TMPDIR: join(this.#place, "tmp"),
        HOST_OPTIONS: JSON.stringify({ ...options, cliPath }),
      },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#exited = once(this.#child, "exit");
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr += chunk.toString();
    });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error("The host has no output.");
    createInterface({ input: stdout }).on("line", (line) => {
      this.lines.push(JSON.parse(line) as Record<string, unknown>);
    });
  }

  /** Starts a host. Resolves when it is ready to claim. */
  static async start(options: HostOptions): Promise<Host> {
    const host = new Host(options);
    await host.said("ready");
    return host;
  }

  /** Resolves when the host has printed a line with this field. */
  async said(field: string): Promise<Readonly<Record<string, unknown>>> {
    for (;;) {
      const line = this.lines.find((each) => field in each);
      if (line !== undefined) return line;
      const { exitCode, signalCode } = this.#child;
      if (exitCode !== null || signalCode !== null) {
        throw new Error(
          `The host ${this.name} has ended: ${this.#stderr} ${JSON.stringify(this.lines)}`,
        );
      }
      await sleep(10);
    }
  }

  /** Makes the host wait at this step until `letGo()`. */
  hold(step: "workspace" | "approve"): void {
    writeFileSync(this.#stepFile(step), "");
  }

  letGo(step: "workspace" | "approve"): void {
    rmSync(this.#stepFile(step), { force: true });
  }

  /** Sends a signal to the host alone; its CLIs are in groups of their own. */
  signal(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) process.kill(this.#child.pid, signal);
  }

  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.#exited;
  }

  /** Resolves with the exit code when the host has ended by itself. */
  async exited(): Promise<number | null> {
    await this.#exited;
    return this.#child.exitCode;
  }

  /** The processes of this host that live: itself, its CLIs and their tools. */
  processes(): number[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .filter((name) => {
        try {
          return readFileSync(join("/proc", name, "environ"), "utf8").includes(this.#place);
        } catch {
          return false; // It has ended meanwhile.
        }
      })
      .map(Number);
  }

  /** Ends the host, whatever it does. Resolves when none of its processes is left. */
  async dispose(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.signal("SIGKILL");
      this.signal("SIGCONT");
      await this.#exited;
    }
    await this.gone();
  }

  /** Resolves when none of its processes is left. */
  async gone(): Promise<void> {
    const until = Date.now() + 60_000;
    while (this.processes().length > 0) {
      if (Date.now() > until)
        throw new Error(`Processes of ${this.name} are left: ${this.processes()}`);
      await sleep(50);
    }
  }

  #stepFile(step: string): string {
    return join(this.#options.folder, `${step}-${this.name}`);
  }
}

const PROGRAM = fileURLToPath(new URL("./host-program.js", import.meta.url));
