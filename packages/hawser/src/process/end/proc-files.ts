import { closeSync, existsSync, openSync, readdirSync, readSync } from "node:fs";

/**
 * Reads /proc. Reading is synchronous on purpose: /proc is memory, not disk, and it must also work
 * at exit.
 */
export interface ProcFiles {
  /** The names in a folder. None if it cannot be read. */
  names(folder: string): string[];
  /** Undefined if the file cannot be read: the process has ended, or belongs to another user. */
  read(file: string): string | undefined;
  exists(path: string): boolean;
}

export const PROC_FILES: ProcFiles = { names: namesIn, read: readText, exists: existsSync };

/** What Linux tells about a process. */
export interface ProcStat {
  readonly pid: number;
  /** The name of the program, at most 15 characters. */
  readonly name: string;
  readonly ppid: number;
  readonly started: string;
  readonly threads: number;
  /** A zombie counts as dead: it runs nothing, and only its parent can remove it. */
  readonly isDead: boolean;
  readonly isKernelThread: boolean;
}

export function pidsIn(files: ProcFiles): number[] {
  return files
    .names("/proc")
    .map(Number)
    .filter((pid) => pid > 0);
}

/** Threads have folders in /proc too. A list of /proc leaves them out. */
export function isThread(files: ProcFiles, pid: number): boolean {
  const group = /^Tgid:\t(\d+)$/m.exec(files.read(`/proc/${pid}/status`) ?? "")?.[1];
  return group !== undefined && Number(group) !== pid;
}

export function statOf(files: ProcFiles, pid: number): ProcStat | undefined {
  const text = files.read(`/proc/${pid}/stat`) ?? "";
  // The name in parentheses may itself hold spaces and parentheses.
  const nameEnd = text.lastIndexOf(")");
  const fields = text.slice(nameEnd + 2).split(" ");
  const [state, ppid] = fields;
  const started = fields[19];
  if (started === undefined) return undefined;
  return {
    pid,
    name: text.slice(text.indexOf("(") + 1, nameEnd),
    ppid: Number(ppid),
    started,
    threads: Number(fields[17]),
    isDead: state === "Z" || state === "X",
    isKernelThread: (Number(fields[6]) & KERNEL_THREAD) !== 0,
  };
}

const KERNEL_THREAD = 0x0020_0000;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** One buffer for all files costs a third of the time of `readFileSync()`. */
function readText(file: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES);
    let text = "";
    for (;;) {
      const bytes = readSync(descriptor, block, 0, BLOCK_BYTES, null);
      text += block.toString("latin1", 0, bytes);
      // The kernel fills a page as far as the next entry of a list fits, so a page that is not half full is the
      // last one.
      if (bytes < PAGE_BYTES / 2) return text;
    }
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

let block: Buffer | undefined;
const BLOCK_BYTES = 65_536;
const PAGE_BYTES = 4096;
