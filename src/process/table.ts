import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** A process, told apart from a later one with the same number by its start time. */
export interface Entry {
  readonly pid: number;
  readonly started: string;
}

/** How one platform answers the three questions that killing a tree needs. */
export interface ProcessTable {
  /** The process itself and everything below it. */
  tree(pid: number): Entry[];
  /** Every process whose environment holds `marker`. */
  marked(marker: string): Entry[];
  alive(entry: Entry): boolean;
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
    return rowOf(pid)?.started === started;
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
