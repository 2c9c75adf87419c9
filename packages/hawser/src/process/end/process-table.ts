import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A process. Its start time distinguishes it from a later process with the same pid. */
export interface ProcessEntry {
  readonly pid: number;
  readonly started: string;
}

export interface MarkedProcess extends ProcessEntry {
  /** The value of the variable. */
  readonly value: string;
  readonly command: string;
}

/** What killing a tree needs to know about processes. Each platform has its own implementation. */
export interface ProcessTable {
  /** The process itself and everything below it. */
  tree(pid: number): ProcessEntry[];
  /** Every process whose environment holds `marker`. */
  marked(marker: string): ProcessEntry[];
  alive(entry: ProcessEntry): boolean;
  /** Every process that has this variable in its environment. */
  having(variable: string): MarkedProcess[];
  /** Whether processes can be listed at all. */
  sees(): boolean;
  /** The parent of a process, the parent of that parent, and so on. */
  above(pid: number): number[];
  /** When a process was started, if that is cheap to find out. */
  startOf(pid: number): string | undefined;
  /** When this program was started, as other programs read it in a host id. */
  self(): string;
  /**
   * Whether the process with this pid and this `self()` is known to be gone: no process has the
   * pid, or a younger process has it. A process that cannot be seen counts as alive.
   */
  isGone(pid: number, self: string): boolean;
}

export function processTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  if (platform !== "linux") return PS;
  return isOwnProc() ? PROC : NONE;
}

/**
 * In a PID namespace that sees the /proc of another namespace, every number means another process.
 */
export function isOwnProc(): boolean {
  try {
    return readlinkSync("/proc/self") === String(process.pid);
  } catch {
    return false;
  }
}

/** The start time of a process whose start time is unknown. */
const UNKNOWN = "0";

/** For systems where processes cannot be listed: only the process group can be signalled. */
const NONE: ProcessTable = {
  tree: () => [],
  marked: () => [],
  alive: () => false,
  having: () => [],
  sees: () => false,
  above: () => [],
  startOf: () => undefined,
  self: () => UNKNOWN,
  isGone: () => false,
};

/**
 * Linux. Reading is synchronous on purpose: /proc is memory, not disk, and this must also run at
 * exit.
 */
const PROC: ProcessTable = {
  tree(pid) {
    const rows = pids().flatMap((each) => rowOf(each) ?? []);
    // The watchdog of a host in the tree has work to do, and then ends by itself.
    return below(pid, rows, (each) => each === pid || !isWatchdog(each));
  },
  marked(marker) {
    return pids()
      .filter((pid) => pid !== process.pid && read(`/proc/${pid}/environ`).includes(marker))
      .flatMap((pid) => rowOf(pid) ?? []);
  },
  alive({ pid, started }) {
    return rowOf(pid)?.started === started;
  },
  having(variable) {
    const sought = `\0${variable}=`;
    return pids().flatMap((pid) => {
      const environment = `\0${read(`/proc/${pid}/environ`)}`;
      const from = environment.indexOf(sought);
      const row = from < 0 || pid === process.pid ? undefined : rowOf(pid);
      if (row === undefined) return [];
      const value = environment.slice(from + sought.length).split("\0", 1)[0] ?? "";
      return { ...row, value, command: commandOf(pid) };
    });
  },
  sees() {
    return statOf(process.pid) !== undefined;
  },
  above(pid) {
    return aboveIn(pid, (each) => rowOf(each)?.ppid);
  },
  startOf(pid) {
    return rowOf(pid)?.started;
  },
  self() {
    return rowOf(process.pid)?.started ?? UNKNOWN;
  },
  isGone(pid, self) {
    if (!exists(pid)) return true;
    const stat = statOf(pid);
    if (stat === undefined) return false;
    return isDead(stat.state) || (self !== UNKNOWN && Number(stat.started) > Number(self));
  },
};

interface Row extends ProcessEntry {
  readonly ppid: number;
}

function pids(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    // No /proc here: then only the process group can be signalled.
    return [];
  }
}

/** A zombie counts as gone: it runs nothing, and only its parent can remove it. */
function rowOf(pid: number): Row | undefined {
  const stat = statOf(pid);
  if (stat === undefined || isDead(stat.state)) return undefined;
  return { pid, ppid: stat.ppid, started: stat.started };
}

function isDead(state: string): boolean {
  return state === "Z" || state === "X";
}

function statOf(pid: number) {
  const stat = read(`/proc/${pid}/stat`);
  // The name in parentheses may itself hold spaces and parentheses.
  const [state = "", ppid, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const started = rest[17];
  return started === undefined ? undefined : { state, ppid: Number(ppid), started };
}

function commandOf(pid: number): string {
  const line = read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
  return Buffer.from(line, "latin1").toString("utf8");
}

/** The name of the watchdog's shell, by which every host recognises it. */
export const WATCHDOG_NAME = "hawser-watchdog";

function isWatchdog(pid: number): boolean {
  const [, flag, , name] = read(`/proc/${pid}/cmdline`).split("\0");
  return flag === "-c" && name === WATCHDOG_NAME;
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process of another user exists, though it cannot be signalled.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function below(
  root: number,
  rows: readonly Row[],
  isOurs: (pid: number) => boolean = () => true,
): ProcessEntry[] {
  const found: ProcessEntry[] = [];
  const queue = [root];
  const seen = new Set<number>();
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (seen.has(next) || !isOurs(next)) continue;
    seen.add(next);
    for (const row of rows) {
      if (row.pid === next) found.push(row);
      if (row.ppid === next) queue.push(row.pid);
    }
  }
  return found;
}

function aboveIn(pid: number, parentOf: (pid: number) => number | undefined): number[] {
  const found: number[] = [];
  for (let next = parentOf(pid); next !== undefined && next > 0; next = parentOf(next)) {
    found.push(next);
  }
  return found;
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    // The process has ended meanwhile, or belongs to another user.
    return "";
  }
}

/**
 * Other systems that have ps(1). A process that was re-parented before it was listed is found only
 * by its marker, and macOS shows the environment only of the user's own, unprotected programs.
 */
const PS: ProcessTable = {
  tree(pid) {
    return below(
      pid,
      ps(["-A", ...COLUMNS]).flatMap((line) => parseRow(line) ?? []),
    );
  },
  marked(marker) {
    const shown = ps(["-A", "-ww", "-E", "-o", "pid=,command="]);
    const found = shown
      .filter((line) => line.includes(marker))
      .map((line) => Number.parseInt(line, 10));
    return found.filter((pid) => pid !== process.pid).flatMap((pid) => rowByPs(pid) ?? []);
  },
  alive({ pid, started }) {
    return rowByPs(pid)?.started === started;
  },
  having(variable) {
    const shown = ps(["-A", "-ww", "-E", "-o", "pid=,command="]);
    return shown.flatMap((line) => {
      const value = new RegExp(`\\s${variable}=(\\S*)`).exec(line)?.[1];
      const pid = Number.parseInt(line, 10);
      const row = value === undefined || pid === process.pid ? undefined : rowByPs(pid);
      if (row === undefined || value === undefined) return [];
      return { ...row, value, command: line.trim().split(/\s+/)[1] ?? "" };
    });
  },
  sees() {
    return rowByPs(process.pid) !== undefined;
  },
  above(pid) {
    return aboveIn(pid, (each) => rowByPs(each)?.ppid);
  },
  startOf() {
    return undefined;
  },
  self() {
    return String(Math.round(Date.now() / 1000 - process.uptime()));
  },
  isGone(pid, self) {
    if (!exists(pid)) return true;
    const started = Date.parse(`${rowByPs(pid)?.started} UTC`) / 1000;
    return started > Number(self) + CLOCKS_DIFFER_S;
  },
};

/** One clock counts from the boot of the machine, and the other can be set. */
const CLOCKS_DIFFER_S = 60;

const COLUMNS = ["-o", "pid=,ppid=,stat=,lstart="];

function rowByPs(pid: number): Row | undefined {
  return ps(["-p", String(pid), ...COLUMNS]).flatMap((line) => parseRow(line) ?? [])[0];
}

function parseRow(line: string): Row | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
  if (match === null || match[3]?.startsWith("Z")) return undefined;
  return { pid: Number(match[1]), ppid: Number(match[2]), started: match[4] ?? "" };
}

function ps(args: readonly string[]): string[] {
  try {
    return execFileSync("ps", args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { LC_ALL: "C", TZ: "UTC", PATH: "/bin:/usr/bin" },
      maxBuffer: 64 * 1024 * 1024,
    }).split("\n");
  } catch {
    // ps exits 1 when nothing matches.
    return [];
  }
}
