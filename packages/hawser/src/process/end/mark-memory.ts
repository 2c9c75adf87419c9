import { type ProcFiles, pidsIn, statOf } from "./proc-files.js";
import type { MarkedProcess, MarkSearch, SearchResult } from "./process-table.js";
import type { Steps } from "./steps.js";

/**
 * Finds processes by a marker of this host, on Linux. It remembers what it has read, so that a
 * search reads only the processes that were started since the search before.
 *
 * A verdict on a process holds as long as its pid means this process. Linux gives pids in turn, so
 * a pid can have been given again only if it lies between the pids that were given last at the two
 * searches. If the pids may have gone round meanwhile, nothing is believed.
 */
export class MarkMemory implements MarkSearch {
  readonly #prefix: string;
  readonly #files: ProcFiles;
  #verdicts: Map<number, Verdict>;
  #pidsGiven: PidsGiven | undefined;

  /** A process that runs before the first marker is in use never gets one. */
  constructor(prefix: string, files: ProcFiles) {
    this.#prefix = prefix;
    this.#files = files;
    this.#verdicts = new Map(pidsIn(files).map((pid) => [pid, UNMARKED]));
    this.#pidsGiven = pidsGiven(files);
  }

  *find(markers: readonly string[]): Steps<SearchResult> {
    const found: MarkedProcess[] = [];
    let isCertain = true;
    let hasMissed = false;
    const listed = pidsIn(this.#files);
    this.#forgetGivenAgain();
    for (const pid of listed) {
      const known = this.#verdicts.get(pid);
      if (known?.isFinal && !holdsAny(known.marks, markers)) continue;
      yield;
      // Also if the verdict is known, because a process must not be killed by mistake.
      const { marks, isDoubtful } = pid === process.pid ? UNMARKED : this.#judge(pid);
      if (isDoubtful) isCertain = false;
      if (known === undefined && !this.#verdicts.has(pid)) hasMissed ||= this.#isGone(pid);
      const stat = holdsAny(marks, markers) ? statOf(this.#files, pid) : undefined;
      if (stat === undefined || stat.isDead) continue;
      found.push({ pid, started: stat.started, value: marks });
    }
    this.#forgetGone(listed);
    return { found, isCertain, hasMissed };
  }

  forget(): void {
    this.#verdicts = new Map();
  }

  /** The verdict on a process that is gone takes memory, until its pid is given again. */
  #forgetGone(listed: readonly number[]): void {
    if (this.#verdicts.size <= 2 * listed.length) return;
    const living = new Set(listed);
    for (const pid of this.#verdicts.keys()) if (!living.has(pid)) this.#verdicts.delete(pid);
  }

  /**
   * Forgets the verdicts on pids that may have been given again since the search before. To be called after the
   * processes were listed, so that the pid of each new one is among them.
   */
  #forgetGivenAgain(): void {
    const before = this.#pidsGiven;
    const now = pidsGiven(this.#files);
    this.#pidsGiven = now;
    if (before === undefined || now === undefined || mayHaveGoneRound(before, now)) {
      this.forget();
      return;
    }
    for (const pid of this.#verdicts.keys()) {
      if (isBetween(pid, before.last, now.last)) this.#verdicts.delete(pid);
    }
  }

  #judge(pid: number): Verdict {
    const environment = this.#files.read(`/proc/${pid}/environ`);
    const isEmpty = environment === "";
    const stat = isEmpty ? statOf(this.#files, pid) : undefined;
    const hasEnded = isEmpty && (stat?.isDead ?? true);
    // Another user's process may become this user's, so it is read again each time.
    if (environment === undefined || hasEnded) {
      this.#verdicts.delete(pid);
      return UNMARKED;
    }
    const now = performance.now();
    const before = this.#verdicts.get(pid);
    const since = before?.isEmpty === isEmpty ? before.since : now;
    const marks = this.#marksIn(environment);
    const isOwn = !isEmpty && now - since >= FORKED_AND_RUN_MS;
    const isFinal = marks !== "" || isOwn || stat?.isKernelThread === true;
    const isDoubtful = isEmpty && !isFinal && now - since < BECOMING_MS;
    const verdict = { marks, isEmpty, since, isFinal, isDoubtful };
    this.#verdicts.set(pid, verdict);
    return verdict;
  }

  #isGone(pid: number): boolean {
    return pid !== process.pid && statOf(this.#files, pid) === undefined;
  }

  #marksIn(environment: string): string {
    if (!environment.includes(this.#prefix)) return "";
    const variables = environment.split("\0").filter((each) => each.includes(this.#prefix));
    return variables.join("\0");
  }
}

/** What is known of a process. */
interface Verdict {
  /** The variables that hold a marker of this host. */
  readonly marks: string;
  readonly isEmpty: boolean;
  /** When the process was first read with an environment, or first without one. */
  readonly since: number;
  /** Whether the process need not be read again. */
  readonly isFinal: boolean;
  readonly isDoubtful: boolean;
}

const UNMARKED: Verdict = { marks: "", isEmpty: false, since: 0, isFinal: true, isDoubtful: false };

/** A process that was just forked shows the environment of its parent, until it becomes another program. */
const FORKED_AND_RUN_MS = 1000;
/** While a process becomes another program, it shows no environment. */
const BECOMING_MS = 50;

function holdsAny(marks: string, markers: readonly string[]): boolean {
  return marks !== "" && markers.some((marker) => marks.includes(marker));
}

/** How far Linux has come with giving pids. */
interface PidsGiven {
  readonly last: number;
  /** How many processes and threads were started since boot, in all namespaces. */
  readonly forks: number;
  readonly highest: number;
}

function pidsGiven(files: ProcFiles): PidsGiven | undefined {
  const last = Number(files.read("/proc/sys/kernel/ns_last_pid"));
  const highest = Number(files.read("/proc/sys/kernel/pid_max"));
  const forks = Number(/^processes (\d+)$/m.exec(files.read("/proc/stat") ?? "")?.[1]);
  return last > 0 && highest > 0 && forks > 0 ? { last, forks, highest } : undefined;
}

/** Pids in use are skipped, and a start that fails uses up a pid, hence the wide margin. */
function mayHaveGoneRound(before: PidsGiven, now: PidsGiven): boolean {
  const highest = Math.min(before.highest, now.highest);
  return (now.forks - before.forks) * 4 >= highest;
}

/** Whether `pid` was given after `first` and not after `last`. After the highest pid come low ones. */
function isBetween(pid: number, first: number, last: number): boolean {
  return first <= last ? pid > first && pid <= last : pid > first || pid <= last;
}
