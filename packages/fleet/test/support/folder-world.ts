import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";

/** A temporary folder that other users can pass through, as the Postgres of a program of root needs it. */
export function temporaryFolder(): string {
  // Not in TMPDIR: a long path of that would change what the tests are about.
  const folder = mkdtempSync("/tmp/hawser-folder-");
  chmodSync(folder, 0o755);
  return folder;
}

/**
 * A folder with a database that has been made before, because initdb takes most of the time of a first start. It is
 * a copy of the one that the tests' own server began with.
 */
export function madeFolder(root: string): string {
  const folder = join(root, "fleet");
  const { pristine } = inject("postgres");
  mkdirSync(folder, { mode: 0o700 });
  if (pristine !== "") execFileSync("cp", ["-R", pristine, join(folder, "data")]);
  // As root, a folder is given to the user nobody, with all that is in it.
  if (process.getuid?.() === 0) execFileSync("chown", ["-R", "nobody:", folder]);
  if (pristine !== "") chmodSync(join(folder, "data"), 0o700);
  return folder;
}

/** Kills the programs that still use the folder, waits until its Postgres has ended, and removes it. */
export async function removeFolder(folder: string): Promise<void> {
  for (const pid of processesOf(folder))
    if (commandOf(pid).includes(PROGRAM)) process.kill(pid, "SIGKILL");
  await gone(folder);
  rmSync(folder, { recursive: true, force: true });
}

/** The ids of all processes whose command lines name the folder. */
export function processesOf(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return readFileSync(join("/proc", name, "cmdline"), "utf8").includes(folder);
      } catch {
        return false; // It has ended meanwhile.
      }
    })
    .map(Number);
}

/** The command line of a process, for messages of tests. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

/** Resolves when no process uses the folder. */
export async function gone(folder: string): Promise<void> {
  const until = Date.now() + 120_000;
  for (;;) {
    const left = processesOf(folder);
    if (left.length === 0) return;
    if (Date.now() > until) {
      throw new Error(`These processes are left:\n${left.map(commandOf).join("\n")}`);
    }
    await sleep(50);
  }
}

/** Another program that has the folder open. */
export interface FolderUser {
  readonly process: ChildProcess;
  /** Sends a line, and resolves with the answer. */
  readonly ask: (line: string) => Promise<string>;
  readonly close: () => Promise<void>;
  readonly kill: () => Promise<void>;
}

const PROGRAM = fileURLToPath(new URL("../database/folder-user.js", import.meta.url));

/** Starts a program that opens the folder, and waits until it has. */
export async function startUser(
  folder: string,
  env: Record<string, string> = {},
): Promise<FolderUser> {
  const child = spawn(process.execPath, [PROGRAM, folder], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let complaints = "";
  child.stderr.on("data", (chunk) => {
    complaints += chunk;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`The program has ended: ${complaints}`);
    return value;
  };
  const user = {
    process: child,
    ask: (line: string) => {
      child.stdin.write(`${line}\n`);
      return next();
    },
    close: async () => {
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
    kill: async () => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
  await next();
  return user;
}
