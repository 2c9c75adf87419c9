import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nativeCli } from "../../../../tools/native-cli.js";
// Declares what the tests of hawser provide to each other.
import type {} from "../../../hawser/test/support/install-clis.js";
import { until } from "../../../hawser/test/support/proc.js";
import { type AtEnd, HAWSER } from "../../../hawser/test/support/pty.js";

refuseStaleBuild();

/** The command loads the built package, so an old build would be tested. */
function refuseStaleBuild(): void {
  const [src, dist] = ["src", "dist"].map((name) =>
    fileURLToPath(new URL(`../../${name}`, import.meta.url)),
  ) as [string, string];
  for (const name of readdirSync(src, { recursive: true, encoding: "utf8" })) {
    const built = join(dist, name.replace(/\.ts$/, ".js"));
    if (!name.endsWith(".ts")) continue;
    if (!existsSync(built) || statSync(join(src, name)).mtimeMs > statSync(built).mtimeMs) {
      throw new Error(`The build of packages/fleet is older than ${name}. Run \`npm run build\`.`);
    }
  }
}

/** What a command that has ended has said. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A home of its own, in which the built `hawser` runs as a user would run it. */
export class CommandHome implements AsyncDisposable {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Where commands run. */
  readonly cwd: string;
  /** For tests on a terminal: when its command is ended. */
  readonly atEnd?: AtEnd;
  readonly #children = new Set<ChildProcess>();

  /** With `atEnd`, which is that of the test's own context, the home is removed after the test. */
  constructor(atEnd?: AtEnd) {
    if (atEnd !== undefined) {
      this.atEnd = atEnd;
      atEnd(() => this[Symbol.asyncDispose]());
    }
    // Short, because of the sockets; passable, because the Postgres of root runs as another user.
    this.folder = mkdtempSync("/tmp/hawser-command-");
    chmodSync(this.folder, 0o755);
    const [cwd, state, tmp] = ["work", "state", "tmp"].map((name) => join(this.folder, name)) as [
      string,
      string,
      string,
    ];
    for (const each of [cwd, state, tmp]) mkdirSync(each);
    this.cwd = cwd;
    this.env = {
      PATH: process.env["PATH"] ?? "",
      HOME: this.folder,
      XDG_STATE_HOME: state,
      TMPDIR: tmp,
      HAWSER_CLI: nativeCli("@anthropic-ai/claude-code"),
    };
  }

  /** Starts a command. */
  start(...args: readonly string[]): Command {
    const child = spawn(process.execPath, [HAWSER, ...args], {
      cwd: this.cwd,
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.add(child);
    return new Command(child);
  }

  /** Runs a command until its end. */
  run(...args: readonly string[]): Promise<Ended> {
    return this.start(...args).ended;
  }

  /** Runs a command with `--json`, and reads the last line that it prints. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the answer.
  async json(...args: readonly string[]): Promise<any> {
    const { stdout, stderr } = await this.run(...args, "--json");
    const line = stdout.trim().split("\n").at(-1) ?? "";
    if (line === "") throw new Error(`No JSON from hawser ${args.join(" ")}: ${stderr}`);
    return JSON.parse(line);
  }

  /** Ends the commands that still run, and waits until no process of the home is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    }
    await this.gone();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Resolves when no process of this home is left. */
  async gone(): Promise<void> {
    await until(() => this.processes().length === 0);
  }

  /** The processes whose command lines or variables name the home: commands, CLIs, tools, Postgres. */
  processes(): number[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .filter((name) =>
        ["cmdline", "environ"].some((file) => readProcess(name, file).includes(this.folder)),
      )
      .map(Number);
  }
}

function readProcess(pid: string, file: string): string {
  try {
    return readFileSync(join("/proc", pid, file), "latin1");
  } catch {
    return ""; // It has ended meanwhile, or belongs to another user.
  }
}

/** A command that runs. */
export class Command {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.on("data", (piece) => {
      this.stdout += piece;
    });
    child.stderr?.on("data", (piece) => {
      this.stderr += piece;
    });
    this.ended = once(child, "close").then(([code]) => ({
      code: code as number | null,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }

  /** Resolves when stdout or stderr has the text. */
  says(text: string): Promise<boolean> {
    return until(() => {
      if (this.stdout.includes(text) || this.stderr.includes(text)) return true;
      if (this.child.exitCode !== null) {
        throw new Error(`It ended without ${JSON.stringify(text)}:\n${this.stdout}${this.stderr}`);
      }
      return undefined;
    });
  }
}
