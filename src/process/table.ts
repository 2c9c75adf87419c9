import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** A process, told apart from a later one with the same number by its start time. */
export interface Entry {
  readonly pid: number;
  readonly started: string;
}

export interface Marked extends Entry {
  /** What the variable says. */
  readonly value: string;
  readonly command: string;
}

/** How one platform answers the questions that killing a tree needs. */
export interface ProcessTable {
  /** The process itself and everything below it. */
  tree(pid: number): Entry[];
  /** Every process whose environment holds `marker`. */
  marked(marker: string): Entry[];
  alive(entry: Entry): boolean;
  /** Every process that has this variable in its environment. */
  having(variable: string): Marked[];
  /** When this program was started: short, and cheap to get. */
  self(): string;
  /** Whether such a process lives that said this of itself by `self()`. */
  wasStarted(pid: number, self: string): boolean;
}

export function processTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  return platform === "linux" ? PROC : PS;
}

/** Linux. Reading is synchronous on purpose: it is memory, not disk, and must also run at exit. */
const PROC: ProcessTable = {
  tree(pid) {
    return below(
      pid,
      pids().flatMap((each) => rowOf(each) ?? []),
    );
  },
  marked(marker) {
    return pids()
      .filter((pid) => pid !== process.pid && read(`/proc/${pid}/environ`).includes(marker))
      .flatMap((pid) => rowOf(pid) ?? []);
  },
  alive({ pid, started }) {
    return PROC.wasStarted(pid, started);
  },
  having(variable) {
    const sought = `\0${variable}=`;
    return pids().flatMap((pid) => {
      const environment = `\0${read(`/proc/${pid}/environ`)}`;
      const from = environment.indexOf(sought);
      const row = from < 0 || pid === process.pid ? undefined : rowOf(pid);
      if (row === undefined) return [];
      const value = environment.slice(from + sought.length).split("\0", 1)[0] ?? "";
      const command = read(`/proc/${pid}/cmdline`)
        .replace(/[\0\s]+/g, " ")
        .trim();
      return { ...row, value, command };
    });
  },
  self() {
    return rowOf(process.pid)?.started ?? "0";
  },
  wasStarted(pid, self) {
    return rowOf(pid)?.started === self;
  },
};

interface Row extends Entry {
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

/** A zombie counts as gone: it runs nothing, and only its parent can clear it away. */
function rowOf(pid: number): Row | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name in parentheses may itself hold spaces and parentheses.
  const [state, ppid, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const started = rest[17];
  if (started === undefined || state === "Z" || state === "X") return undefined;
  return { pid, ppid: Number(ppid), started };
}

function below(root: number, rows: readonly Row[]): Entry[] {
  const found: Entry[] = [];
  const queue = [root];
  const seen = new Set<number>();
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    for (const row of rows) {
      if (row.pid === next) found.push(row);
      if (row.ppid === next) queue.push(row.pid);
    }
  }
  return found;
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    // Gone in the meantime, or another user's.
    return "";
  }
}

/**
 * Everywhere else that has ps(1). A process that was re-parented before anyone looked is found only
 * by its marker, and macOS shows the environment only of one's own, unprotected programs.
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
  self() {
    return String(Math.round(Date.now() / 1000 - process.uptime()));
  },
  wasStarted(pid, self) {
    const row = rowByPs(pid);
    return row !== undefined && Math.abs(Date.parse(row.started) / 1000 - Number(self)) <= 3;
  },
};

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
      env: { LC_ALL: "C", PATH: "/bin:/usr/bin" },
      maxBuffer: 64 * 1024 * 1024,
    }).split("\n");
  } catch {
    // ps exits 1 when nothing matches.
    return [];
  }
}
