import { readlinkSync } from "node:fs";
import { ProcTable } from "./proc-table.js";
import { PsTable } from "./ps-table.js";
import type { Steps } from "./steps.js";

/** A process. Its start time distinguishes it from a later process with the same pid. */
export interface ProcessEntry {
  readonly pid: number;
  readonly started: string;
}

export interface MarkedProcess extends ProcessEntry {
  /** The part of the environment that was looked for. */
  readonly value: string;
}

/** A process that has a certain variable in its environment. */
export interface VariableHolder extends MarkedProcess {
  readonly command: string;
}

/** What killing a tree needs to know about processes. Each platform has its own implementation. */
export interface ProcessTable {
  /** The process itself and everything below it. */
  tree(pid: number): ProcessEntry[];
  /** A search for markers that begin with `prefix`. Call it before the first of them is in use. */
  markSearch(prefix: string): MarkSearch;
  alive(entry: ProcessEntry): boolean;
  /** Every process that has this variable in its environment. */
  having(variable: string): Steps<VariableHolder[]>;
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

/** Finds processes by the markers in their environments. */
export interface MarkSearch {
  find(markers: readonly string[]): Steps<SearchResult>;
  /** Makes the next search read every process again. */
  forget(): void;
}

export interface SearchResult {
  /**
   * Every process whose environment holds one of the markers, except this program. If one has ended since it was
   * read, it is still named here, because it may have started another one just before.
   */
  readonly found: readonly MarkedProcess[];
  /**
   * False if a process showed no environment, because it may be about to become another program. A
   * second search decides.
   */
  readonly isCertain: boolean;
  /** Whether a new process was gone before it could be read. It may have started another one just before. */
  readonly hasMissed: boolean;
}

export function processTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  if (platform !== "linux") return PS;
  return isOwnProc() ? PROC : NONE;
}

/**
 * In a PID namespace that sees the /proc of another namespace, every number means another process. A program
 * stays in its PID namespace, so a positive answer holds.
 */
export function isOwnProc(): boolean {
  isOwn ||= readsOwnPid();
  return isOwn;
}

let isOwn = false;

function readsOwnPid(): boolean {
  try {
    return readlinkSync("/proc/self") === String(process.pid);
  } catch {
    return false;
  }
}

const PROC = new ProcTable();
const PS = new PsTable();

/** For systems where processes cannot be listed: only the process group can be signalled. */
const NONE: ProcessTable = {
  tree: () => [],
  markSearch: () => ({ find: findNothing, forget: () => {} }),
  alive: () => false,
  having: haveNothing,
  sees: () => false,
  above: () => [],
  startOf: () => undefined,
  self: () => "0",
  isGone: () => false,
};

// biome-ignore lint/correctness/useYield: there is no work to pause
function* findNothing(): Steps<SearchResult> {
  return { found: [], isCertain: true, hasMissed: false };
}

// biome-ignore lint/correctness/useYield: there is no work to pause
function* haveNothing(): Steps<VariableHolder[]> {
  return [];
}
