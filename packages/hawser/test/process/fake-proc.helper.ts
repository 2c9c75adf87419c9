import type { ProcFiles } from "../../src/process/end/proc-files.js";

/** A process of the fake machine. */
export interface FakeProcess {
  readonly pid: number;
  readonly ppid: number;
  readonly name: string;
  readonly started: number;
  readonly flags: number;
  /** Undefined if the process belongs to another user. */
  environ: string | undefined;
  cmdline: string;
  state: string;
  /** The threads, each with the pids of its children. */
  readonly children: Map<number, number[]>;
}

/** A /proc in memory that counts what is read. It gives pids in turn, as Linux does. */
export class FakeProc implements ProcFiles {
  readonly processes = new Map<number, FakeProcess>();
  readonly #log: string[] = [];
  /** Called before each read, for what happens in the middle of a look. */
  onRead: (file: string) => void = () => {};
  hasChildLists = true;
  lastPid = 1000;
  forks = 50_000;
  highest: number;
  #ticks = 100;

  constructor({ highest = 32_768 } = {}) {
    this.highest = highest;
    this.#add(1, 0, { environ: "HOME=/" });
    this.#add(process.pid, 1, { environ: "HOME=/root" });
  }

  /** Starts a process. Returns its pid. */
  start(facts: Partial<FakeProcess> = {}): number {
    this.turnOn(1);
    while (this.processes.has(this.lastPid)) this.lastPid = this.#after(this.lastPid);
    return this.#add(this.lastPid, facts.ppid ?? 1, facts);
  }

  /** Starts a process whose pid was given earlier. */
  appear(pid: number, facts: Partial<FakeProcess> = {}): void {
    this.#add(pid, facts.ppid ?? 1, facts);
  }

  end(pid: number): void {
    const { ppid } = this.#get(pid);
    this.processes.delete(pid);
    for (const list of this.processes.get(ppid)?.children.values() ?? []) {
      if (list.includes(pid)) list.splice(list.indexOf(pid), 1);
    }
  }

  /** As many pids are given to processes that end at once. */
  turnOn(count: number): void {
    this.forks += count;
    for (let i = 0; i < count; i += 1) this.lastPid = this.#after(this.lastPid);
  }

  names(folder: string): string[] {
    this.#log.push(folder);
    if (folder === "/proc") return ["self", "stat", ...[...this.processes.keys()].map(String)];
    const pid = Number(/^\/proc\/(\d+)\/task$/.exec(folder)?.[1]);
    return [...(this.processes.get(pid)?.children.keys() ?? [])].map(String);
  }

  read(file: string): string | undefined {
    this.#log.push(file);
    this.onRead(file);
    if (file === "/proc/sys/kernel/ns_last_pid") return `${this.lastPid}\n`;
    if (file === "/proc/sys/kernel/pid_max") return `${this.highest}\n`;
    if (file === "/proc/stat") return `cpu  1 2 3\nprocesses ${this.forks}\nprocs_running 1\n`;
    const [, pid, rest = ""] = /^\/proc\/(\d+)\/(.+)$/.exec(file) ?? [];
    const thread = Number(/^task\/(\d+)\/children$/.exec(rest)?.[1]);
    if (thread > 0) return this.#childrenOf(thread);
    const found = this.#ownerOf(Number(pid));
    if (found === undefined) return undefined;
    if (rest === "status") return `Name:\tsleep\nTgid:\t${found.pid}\n`;
    if (rest === "environ") return found.environ;
    if (rest === "cmdline") return found.cmdline;
    return rest === "stat" ? statText(found) : undefined;
  }

  exists(path: string): boolean {
    this.#log.push(path);
    const pid = Number(/^\/proc\/(\d+)$/.exec(path)?.[1]);
    return this.#ownerOf(pid) !== undefined;
  }

  #ownerOf(thread: number): FakeProcess | undefined {
    return [...this.processes.values()].find(({ children }) => children.has(thread));
  }

  /** The file is also found by the number of the thread, in place of that of its process. */
  #childrenOf(thread: number): string | undefined {
    const list = this.hasChildLists ? this.#ownerOf(thread)?.children.get(thread) : undefined;
    return list?.map((each) => `${each} `).join("");
  }

  /** What was read since the last call. */
  readFiles(): string[] {
    return this.#log.splice(0);
  }

  #add(pid: number, ppid: number, facts: Partial<FakeProcess>): number {
    this.#ticks += 1;
    this.processes.set(pid, {
      name: "sleep",
      flags: 0,
      environ: "HOME=/",
      cmdline: "sleep\u0000600\u0000",
      state: "S",
      started: this.#ticks,
      children: new Map([[pid, []]]),
      ...facts,
      pid,
      ppid,
    });
    // Children are listed with the thread that started them: here always the latest thread.
    [...(this.processes.get(ppid)?.children.values() ?? [])].at(-1)?.push(pid);
    return pid;
  }

  #get(pid: number): FakeProcess {
    const found = this.processes.get(pid);
    if (found === undefined) throw new Error(`There is no process ${pid}.`);
    return found;
  }

  #after(pid: number): number {
    return pid >= this.highest - 1 ? 300 : pid + 1;
  }
}

function statText({ pid, name, state, ppid, flags, children, started }: FakeProcess): string {
  const fields = Array.from({ length: 20 }, () => "0");
  fields[0] = state;
  fields[1] = String(ppid);
  fields[6] = String(flags);
  fields[17] = String(children.size);
  fields[19] = String(started);
  return `${pid} (${name}) ${fields.join(" ")}\n`;
}
