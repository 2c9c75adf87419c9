import { execFileSync } from "node:child_process";
import type {
  MarkedProcess,
  MarkSearch,
  ProcessEntry,
  ProcessTable,
  SearchResult,
  VariableHolder,
} from "./process-table.js";
import type { Steps } from "./steps.js";
import { exists, pidsAbove, rowsBelow, type TableRow } from "./table-rows.js";

/**
 * For other systems than Linux that have ps(1). A process that was re-parented before it was listed
 * is found only by its marker, and macOS shows the environment only of the user's own, unprotected
 * programs.
 */
export class PsTable implements ProcessTable {
  tree(pid: number): ProcessEntry[] {
    return rowsBelow(
      pid,
      ps(["-A", ...COLUMNS]).flatMap((line) => parseRow(line) ?? []),
    );
  }

  markSearch(): MarkSearch {
    return { find: findMarked, forget: () => {} };
  }

  alive({ pid, started }: ProcessEntry): boolean {
    return rowOf(pid)?.started === started;
  }

  *having(variable: string): Steps<VariableHolder[]> {
    const found: VariableHolder[] = [];
    for (const line of environments()) {
      const value = new RegExp(`\\s${variable}=(\\S*)`).exec(line)?.[1];
      const pid = Number.parseInt(line, 10);
      if (value === undefined || pid === process.pid) continue;
      yield;
      const row = rowOf(pid);
      if (row === undefined) continue;
      found.push({ ...row, value, command: line.trim().split(/\s+/)[1] ?? "" });
    }
    return found;
  }

  sees(): boolean {
    return rowOf(process.pid) !== undefined;
  }

  above(pid: number): number[] {
    return pidsAbove(pid, (each) => rowOf(each)?.ppid);
  }

  startOf(): undefined {
    return undefined;
  }

  self(): string {
    return String(Math.round(Date.now() / 1000 - process.uptime()));
  }

  isGone(pid: number, self: string): boolean {
    if (!exists(pid)) return true;
    const started = Date.parse(`${rowOf(pid)?.started} UTC`) / 1000;
    return started > Number(self) + CLOCKS_DIFFER_S;
  }
}

/** One clock counts from the boot of the machine, and the other can be set. */
const CLOCKS_DIFFER_S = 60;

const COLUMNS = ["-o", "pid=,ppid=,stat=,lstart="];

function* findMarked(markers: readonly string[]): Steps<SearchResult> {
  const found: MarkedProcess[] = [];
  for (const line of environments()) {
    const pid = Number.parseInt(line, 10);
    if (pid === process.pid || !markers.some((marker) => line.includes(marker))) continue;
    yield;
    const row = rowOf(pid);
    if (row !== undefined) found.push({ ...row, value: line });
  }
  return { found, isCertain: true, hasMissed: false };
}

/** A line for each process: its pid, its command and its environment. */
function environments(): string[] {
  return ps(["-A", "-ww", "-E", "-o", "pid=,command="]);
}

function rowOf(pid: number): TableRow | undefined {
  return ps(["-p", String(pid), ...COLUMNS]).flatMap((line) => parseRow(line) ?? [])[0];
}

function parseRow(line: string): TableRow | undefined {
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
