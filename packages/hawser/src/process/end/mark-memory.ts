import { isThread, type ProcFiles, pidsIn, statOf } from "./proc-files.js";
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
  readonly #verdicts = new Map<number, Verdict>();
  /** The pids whose verdict is unknown, can change, or has marks. */
  #watched = new Set<number>();
  /** Pids that were given, but that no process had at the search before. It may have been about to appear. */
  #unseen: number[] = [];
  #pidsGiven: PidsGiven | undefined;
  #listed: number;

  /** A process that runs before the first marker is in use never gets one. */
  constructor(prefix: string, files: ProcFiles) {
    this.#prefix = prefix;
    this.#files = files;
    this.#pidsGiven = pidsGiven(files);
    const running = pidsIn(files);
    this.#listed = running.length;
    for (const pid of running) this.#verdicts.set(pid, UNMARKED);
  }

  *find(markers: readonly string[]): Steps<SearchResult> {
    const found: MarkedProcess[] = [];
    let isCertain = true;
    const { last, areSomeGone } = this.#watchNewPids();
    let hasMissed = false;
    for (const pid of [...this.#watched]) {
      const known = this.#verdicts.get(pid);
      if (known?.isFinal && !holdsAny(known.marks, markers)) continue;
      yield;
      // Also if the verdict is known, because a process must not be killed by mistake.
      const { marks, isDoubtful } = pid === process.pid ? UNMARKED : this.#judge(pid);
      if (isDoubtful) isCertain = false;
      if (!this.#verdicts.has(pid) && this.#isGone(pid)) {
        this.#watched.delete(pid);
        hasMissed ||= known === undefined;
      }
      if (!holdsAny(marks, markers)) continue;
      found.push({ pid, started: statOf(this.#files, pid)?.started ?? "", value: marks });
    }
    hasMissed ||= areSomeGone && last !== lastPid(this.#files);
    return { found, isCertain, hasMissed };
  }

  forget(): void {
    this.#pidsGiven = undefined;
  }

  /**
   * Watches the processes that were started since the search before. A process that is started during this
   * search is left to the next one.
   */
  #watchNewPids(): { readonly last: number; readonly areSomeGone: boolean } {
    const before = this.#pidsGiven;
    const now = pidsGiven(this.#files);
    this.#pidsGiven = now;
    for (const pid of this.#unseen.splice(0)) this.#watch(pid);
    const last = now?.last ?? 0;
    if (before === undefined || now === undefined || mayHaveGoneRound(before, now)) {
      this.#verdicts.clear();
      this.#watchListed(now);
      return { last, areSomeGone: false };
    }
    // To list sixteen processes takes about as long as to look at one new pid.
    if (countBetween(before, now) > this.#listed / 16) {
      for (const pid of this.#verdicts.keys()) {
        if (isBetween(pid, before.last, last)) this.#verdicts.delete(pid);
      }
      this.#watchListed(now);
      return { last, areSomeGone: false };
    }
    for (const pid of pidsBetween(before, now)) {
      this.#verdicts.delete(pid);
      if (!this.#watch(pid)) this.#unseen.push(pid);
    }
    return { last, areSomeGone: this.#unseen.length > 0 };
  }

  /** Returns whether anything has this pid: a process, or a thread, which is not watched. */
  #watch(pid: number): boolean {
    if (!this.#files.exists(`/proc/${pid}`)) return false;
    if (!isThread(this.#files, pid)) this.#watched.add(pid);
    return true;
  }

  #watchListed(now: PidsGiven | undefined): void {
    const listed = pidsIn(this.#files);
    this.#listed = listed.length;
    this.#watched = new Set(
      listed.filter((pid) => {
        const verdict = this.#verdicts.get(pid);
        return !verdict?.isFinal || verdict.marks !== "";
      }),
    );
    const latest = now === undefined ? [] : [...latestPids(now)];
    this.#unseen = latest.filter((pid) => !this.#watched.has(pid) && !this.#verdicts.has(pid));
    // The verdict on a process that is gone takes memory, until its pid is given again.
    if (this.#verdicts.size <= 2 * listed.length) return;
    const living = new Set(listed);
    for (const pid of this.#verdicts.keys()) if (!living.has(pid)) this.#verdicts.delete(pid);
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
    if (isFinal && marks === "") this.#watched.delete(pid);
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
  const last = lastPid(files);
  const highest = Number(files.read("/proc/sys/kernel/pid_max"));
  const forks = Number(/^processes (\d+)$/m.exec(files.read("/proc/stat") ?? "")?.[1]);
  const areTold = last > 0 && last <= highest && forks > 0;
  return areTold ? { last, forks, highest } : undefined;
}

function lastPid(files: ProcFiles): number {
  return Number(files.read("/proc/sys/kernel/ns_last_pid"));
}

/** Pids in use are skipped, and a start that fails uses up a pid, hence the wide margin. */
function mayHaveGoneRound(before: PidsGiven, now: PidsGiven): boolean {
  return before.highest !== now.highest || (now.forks - before.forks) * 4 >= now.highest;
}

/** Whether `pid` was given after `first` and not after `last`. After the highest pid come low ones. */
function isBetween(pid: number, first: number, last: number): boolean {
  return first <= last ? pid > first && pid <= last : pid > first || pid <= last;
}

function countBetween(before: PidsGiven, now: PidsGiven): number {
  const count = now.last - before.last;
  return count < 0 ? count + now.highest : count;
}

function* pidsBetween(before: Pick<PidsGiven, "last">, now: PidsGiven): Iterable<number> {
  for (let pid = before.last; pid !== now.last; yield pid) pid = pid < now.highest ? pid + 1 : 1;
}

function latestPids(now: PidsGiven): Iterable<number> {
  const last = now.last - MOST_AT_ONCE;
  return pidsBetween({ last: last > 0 ? last : last + now.highest }, now);
}

/** How many processes, at most, are expected to be about to appear at one moment: about one for each core. */
const MOST_AT_ONCE = 32;
