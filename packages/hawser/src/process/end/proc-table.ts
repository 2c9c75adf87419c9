import { MarkMemory } from "./mark-memory.js";
import { PROC_FILES, type ProcFiles, type ProcStat, pidsIn, statOf } from "./proc-files.js";
import type { MarkSearch, ProcessEntry, ProcessTable, VariableHolder } from "./process-table.js";
import type { Steps } from "./steps.js";
import { exists, pidsAbove, rowsBelow, type TableRow } from "./table-rows.js";

/** The start time of a process whose start time is unknown. */
const UNKNOWN = "0";

/** The name of the watchdog's shell, by which every host recognises it. */
export const WATCHDOG_NAME = "hawser-watchdog";

/** Linux. */
export class ProcTable implements ProcessTable {
  readonly #files: ProcFiles;
  #hasChildLists = false;
  #rowsOfTurn: TableRow[] | undefined;

  /** @param files reads /proc; a test gives its own */
  constructor(files: ProcFiles = PROC_FILES) {
    this.#files = files;
  }

  tree(pid: number): ProcessEntry[] {
    return this.#treeByLists(pid) ?? this.#treeByParents(pid);
  }

  markSearch(prefix: string): MarkSearch {
    return new MarkMemory(prefix, this.#files);
  }

  alive({ pid, started }: ProcessEntry): boolean {
    return this.startOf(pid) === started;
  }

  *having(variable: string): Steps<VariableHolder[]> {
    const sought = `\0${variable}=`;
    const found: VariableHolder[] = [];
    for (const pid of pidsIn(this.#files)) {
      yield;
      const environment = `\0${this.#files.read(`/proc/${pid}/environ`) ?? ""}`;
      const from = environment.indexOf(sought);
      const row = from < 0 || pid === process.pid ? undefined : this.#rowOf(pid);
      if (row === undefined) continue;
      const value = environment.slice(from + sought.length).split("\0", 1)[0] ?? "";
      found.push({ ...row, value, command: this.#commandOf(pid) });
    }
    return found;
  }

  sees(): boolean {
    return statOf(this.#files, process.pid) !== undefined;
  }

  above(pid: number): number[] {
    return pidsAbove(pid, (each) => this.#rowOf(each)?.ppid);
  }

  startOf(pid: number): string | undefined {
    return this.#rowOf(pid)?.started;
  }

  self(): string {
    return this.startOf(process.pid) ?? UNKNOWN;
  }

  isGone(pid: number, self: string): boolean {
    if (!exists(pid)) return true;
    const stat = statOf(this.#files, pid);
    if (stat === undefined) return false;
    return stat.isDead || (self !== UNKNOWN && Number(stat.started) > Number(self));
  }

  /**
   * By the kernel's lists of children, so that only the processes of the tree are read. Undefined
   * if the kernel has no such lists, or if they changed each time they were read.
   */
  #treeByLists(root: number): ProcessEntry[] | undefined {
    if (!this.#offersChildLists()) return undefined;
    const stat = statOf(this.#files, root);
    const tree = stat === undefined ? [] : [stat];
    // The array grows while it is walked.
    for (const each of tree) {
      const children = this.#childrenOf(each);
      if (children === undefined) return undefined;
      tree.push(...children.filter((child) => !this.#isWatchdog(child)));
    }
    return tree.filter(({ isDead }) => !isDead).map(({ pid, started }) => ({ pid, started }));
  }

  /** Some kernels are built without CONFIG_PROC_CHILDREN. */
  #offersChildLists(): boolean {
    const own = `/proc/${process.pid}/task/${process.pid}/children`;
    this.#hasChildLists ||= this.#files.read(own) !== undefined;
    return this.#hasChildLists;
  }

  /**
   * If a child or a thread ends while the lists are read, they may lack another child. So they
   * count only if everything on them is still there afterwards.
   */
  #childrenOf(parent: ProcStat): ProcStat[] | undefined {
    for (let attempts = 0; attempts < MOST_ATTEMPTS; attempts += 1) {
      const children = this.#listChildren(parent)?.map(({ pid, task }) => {
        const child = statOf(this.#files, pid);
        // Another process may have got the number of a thread that has ended.
        return task === parent.pid || child?.ppid === parent.pid ? child : undefined;
      });
      if (children?.every((child) => child !== undefined)) return children;
      if (statOf(this.#files, parent.pid) === undefined) return [];
    }
    return undefined;
  }

  /**
   * Each thread has a list of its own. Undefined if one of them cannot be read. A list has two names. The name
   * below `/proc/${pid}` is not used, because it would become a part of the kernel's memory of that folder, which
   * the parent of the process has to clear when the process ends (observed: 1.2 ms for a process of 11 threads).
   */
  #listChildren({ pid, threads }: ProcStat): Listed[] | undefined {
    const tasks = threads > 1 ? this.#files.names(`/proc/${pid}/task`).map(Number) : [pid];
    const children: Listed[] = [];
    for (const task of tasks) {
      const list = this.#files.read(`/proc/${task}/task/${task}/children`);
      if (list === undefined) return undefined;
      for (const pid of list.split(" ").map(Number)) if (pid > 0) children.push({ pid, task });
    }
    return children;
  }

  #treeByParents(root: number): ProcessEntry[] {
    // The watchdog of a host in the tree has work to do, and then ends by itself.
    const isOurs = (pid: number) => {
      const stat = pid === root ? undefined : statOf(this.#files, pid);
      return stat === undefined || !this.#isWatchdog(stat);
    };
    return rowsBelow(root, this.#everyRow(), isOurs);
  }

  /** Read once for all trees that are recorded in the same turn of the event loop. */
  #everyRow(): TableRow[] {
    if (this.#rowsOfTurn === undefined) {
      this.#rowsOfTurn = pidsIn(this.#files).flatMap((pid) => this.#rowOf(pid) ?? []);
      setImmediate(() => {
        this.#rowsOfTurn = undefined;
      }).unref();
    }
    return this.#rowsOfTurn;
  }

  #rowOf(pid: number): TableRow | undefined {
    const stat = statOf(this.#files, pid);
    if (stat === undefined || stat.isDead) return undefined;
    return { pid, ppid: stat.ppid, started: stat.started };
  }

  #commandOf(pid: number): string {
    const line = this.#files.read(`/proc/${pid}/cmdline`) ?? "";
    return Buffer.from(line.replaceAll("\0", " ").trim(), "latin1").toString("utf8");
  }

  /** A watchdog is started as /bin/sh, so other programs need no second look. */
  #isWatchdog({ pid, name }: ProcStat): boolean {
    if (name !== "sh") return false;
    const [, flag, , shellName] = (this.#files.read(`/proc/${pid}/cmdline`) ?? "").split("\0");
    return flag === "-c" && shellName === WATCHDOG_NAME;
  }
}

const MOST_ATTEMPTS = 3;

/** A process on the list of a thread. */
interface Listed {
  readonly pid: number;
  readonly task: number;
}
