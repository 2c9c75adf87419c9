import { describe, expect, it, onTestFinished, vi } from "vitest";
import { MarkMemory } from "../../src/process/end/mark-memory.js";
import type { MarkSearch } from "../../src/process/end/process-table.js";
import { runAtOnce } from "../../src/process/end/steps.js";
import { fc } from "../support/fc.js";
import { FakeProc } from "./fake-proc.helper.js";

const PREFIX = "01234567.1.2.89abcdef/";
const [MARKER, OTHER] = [`${PREFIX}one`, `${PREFIX}two`];
const marked = (marker = MARKER) => `PATH=/bin\u0000HAWSER_MARK=${marker}\u0000HOME=/`;

function find(search: MarkSearch, marker = MARKER): number[] {
  return runAtOnce(search.find([marker])).found.map(({ pid }) => pid);
}

/** The processes whose environment was read since the last call. */
function environmentsRead(proc: FakeProc): number[] {
  const files = proc.readFiles().filter((file) => file.endsWith("/environ"));
  return files.map((file) => Number(file.split("/")[2]));
}

function stoppedClock(): void {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

describe("MarkMemory", () => {
  it("finds the processes with one of the markers, and the variables that hold it", () => {
    const proc = new FakeProc();
    const search = new MarkMemory(PREFIX, proc);
    const pid = proc.start({ environ: marked() });
    const nested = proc.start({ environ: `A=b\u0000COPY=outer:${MARKER}` });
    proc.start({ environ: marked(OTHER) });
    proc.start({ environ: marked("01234567.1.2.00000000/one") });
    expect(runAtOnce(search.find([MARKER, `${PREFIX}three`]))).toMatchObject({
      found: [
        { pid, value: `HAWSER_MARK=${MARKER}` },
        { pid: nested, value: `COPY=outer:${MARKER}` },
      ],
      isCertain: true,
    });
  });

  it("does not read the processes that ran before the first marker was in use", () => {
    const proc = new FakeProc();
    for (let i = 0; i < 300; i += 1) proc.start();
    const search = new MarkMemory(PREFIX, proc);
    const pid = proc.start({ environ: marked() });
    proc.readFiles();
    expect(find(search)).toEqual([pid]);
    expect(environmentsRead(proc)).toEqual([pid]);
  });

  it("reads as many files beside 1,000 unrelated younger processes as beside 10", () => {
    stoppedClock();
    const counts = [10, 1000].map((count) => {
      const proc = new FakeProc();
      const search = new MarkMemory(PREFIX, proc);
      for (let i = 0; i < count; i += 1) proc.start();
      for (let i = 0; i < count; i += 1) proc.start({ environ: marked(OTHER) });
      find(search);
      vi.advanceTimersByTime(1000);
      find(search);
      const pid = proc.start({ environ: marked() });
      proc.readFiles();
      expect(find(search)).toEqual([pid]);
      return proc.readFiles().length;
    });
    expect(counts[1]).toBe(counts[0]);
    // Three files about pids; whether there is a process with the new pid; its group, environment and state.
    expect(counts[0]).toBe(7);
  });

  it("lists all processes only if pids were given for more than a sixteenth of them", () => {
    const proc = new FakeProc();
    for (let i = 0; i < 398; i += 1) proc.start();
    const search = new MarkMemory(PREFIX, proc);
    const areListed = () => {
      proc.readFiles();
      find(search);
      return proc.readFiles().includes("/proc");
    };
    proc.turnOn(25);
    expect(areListed()).toBe(false);
    proc.turnOn(26);
    expect(areListed()).toBe(true);
  });

  it.each([
    { name: "a list of all", lost: 30 },
    { name: "a look at the new pids", lost: 0 },
  ])("takes no thread for a process, after $name", ({ lost }) => {
    const proc = new FakeProc();
    for (let i = 0; i < 398; i += 1) proc.start();
    const search = new MarkMemory(PREFIX, proc);
    const pid = proc.start({ environ: marked() });
    const thread = pid + 1;
    proc.processes.get(pid)?.children.set(thread, []);
    proc.turnOn(1 + lost);
    expect(find(search)).toEqual([pid]);
    expect(find(search)).toEqual([pid]);
  });

  it.each([
    { name: "a list of all", lost: 30 },
    { name: "a look at the new pids", lost: 0 },
  ])("finds a process that appears only after its pid was given, after $name", ({ lost }) => {
    const proc = new FakeProc();
    for (let i = 0; i < 398; i += 1) proc.start();
    const search = new MarkMemory(PREFIX, proc);
    proc.turnOn(lost + 1);
    const pid = proc.lastPid;
    expect(find(search)).toEqual([]);
    proc.appear(pid, { environ: marked() });
    expect(find(search)).toEqual([pid]);
  });

  it("finds exactly the marked processes that run, however many pids were given meanwhile", () => {
    stoppedClock();
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(40), fc.nat(5), fc.nat(3))), (steps) => {
        const proc = new FakeProc({ highest: 1500 });
        for (let i = 0; i < 300; i += 1) proc.start();
        const search = new MarkMemory(PREFIX, proc);
        const living: number[] = [];
        for (const [lost, started, ended] of steps) {
          proc.turnOn(lost);
          for (let i = 0; i < started; i += 1) {
            proc.start();
            living.push(proc.start({ environ: marked() }));
          }
          for (const pid of living.splice(0, ended)) proc.end(pid);
          expect(find(search).sort()).toEqual([...living].sort());
        }
      }),
    );
  });

  it("reads a process again that was just forked, because it shows its parent's environment", () => {
    stoppedClock();
    const proc = new FakeProc();
    const search = new MarkMemory(PREFIX, proc);
    const pid = proc.start();
    expect(find(search)).toEqual([]);
    vi.advanceTimersByTime(900);
    Object.assign(proc.processes.get(pid) ?? {}, { environ: marked() });
    expect(find(search)).toEqual([pid]);
  });

  it.each([
    { name: "shows no environment while it becomes another program", before: "" },
    { name: "belongs to another user", before: undefined },
  ])("reads a process again that $name", ({ before }) => {
    stoppedClock();
    const proc = new FakeProc();
    const search = new MarkMemory(PREFIX, proc);
    const pid = proc.start({ environ: before });
    for (let i = 0; i < 3; i += 1) {
      expect(find(search)).toEqual([]);
      vi.advanceTimersByTime(60_000);
    }
    Object.assign(proc.processes.get(pid) ?? {}, { environ: marked() });
    expect(find(search)).toEqual([pid]);
  });

  it("is in doubt for 50 ms about a process that shows no environment", () => {
    stoppedClock();
    const proc = new FakeProc();
    const search = new MarkMemory(PREFIX, proc);
    const isCertain = () => runAtOnce(search.find([MARKER])).isCertain;
    const pid = proc.start({ environ: marked() });
    expect(isCertain()).toBe(true);
    vi.advanceTimersByTime(5000);
    Object.assign(proc.processes.get(pid) ?? {}, { environ: "" });
    expect(isCertain()).toBe(false);
    vi.advanceTimersByTime(49);
    expect(isCertain()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(isCertain()).toBe(true);
  });

  it("is in no doubt about ended processes, kernel threads, and processes of other users", () => {
    const proc = new FakeProc();
    const search = new MarkMemory(PREFIX, proc);
    proc.start({ environ: "", state: "Z" });
    proc.start({ environ: "", flags: 0x0020_8040 });
    proc.start({ environ: undefined });
    const dying = proc.start({ environ: "" });
    proc.onRead = (file) => {
      if (file === `/proc/${dying}/stat`) proc.processes.delete(dying);
    };
    expect(runAtOnce(search.find([MARKER])).isCertain).toBe(true);
  });

  it("says if a new process was gone before it could be read, and only then", () => {
    const proc = new FakeProc();
    const search = new MarkMemory(PREFIX, proc);
    const hasMissed = () => runAtOnce(search.find([MARKER])).hasMissed;
    proc.start({ environ: "", state: "Z" });
    proc.start({ environ: undefined });
    const known = proc.start();
    expect(hasMissed()).toBe(false);
    const short = proc.start({ environ: marked() });
    proc.onRead = (file) => {
      if (file === `/proc/${short}/environ`) proc.processes.delete(short);
      if (file === `/proc/${known}/environ`) proc.processes.delete(known);
    };
    expect(hasMissed()).toBe(true);
    expect(hasMissed()).toBe(false);
  });

  it("says that it may have missed a process if a new pid is gone and further ones were given meanwhile", () => {
    const proc = new FakeProc();
    for (let i = 0; i < 398; i += 1) proc.start();
    const search = new MarkMemory(PREFIX, proc);
    const hasMissed = () => runAtOnce(search.find([MARKER])).hasMissed;
    proc.turnOn(1);
    proc.start();
    expect(hasMissed()).toBe(false);
    const pid = proc.start();
    proc.turnOn(1);
    proc.onRead = (file) => {
      if (file === `/proc/${pid}/environ`) proc.turnOn(1);
    };
    expect(hasMissed()).toBe(true);
    proc.onRead = () => {};
    expect(hasMissed()).toBe(false);
  });

  it("names a marked process that has ended since it was read", () => {
    const proc = new FakeProc();
    const search = new MarkMemory(PREFIX, proc);
    const hop = proc.start({ environ: marked() });
    proc.onRead = (file) => {
      if (file === `/proc/${hop}/stat`) proc.processes.delete(hop);
    };
    expect(find(search)).toEqual([hop]);
    expect(find(search)).toEqual([]);
  });

  it("reads a kernel thread once", () => {
    const proc = new FakeProc();
    const search = new MarkMemory(PREFIX, proc);
    proc.start({ environ: "", flags: 0x0020_8040 });
    find(search);
    proc.readFiles();
    find(search);
    expect(environmentsRead(proc)).toEqual([]);
  });

  it("reads a pid again that was given to another process", () => {
    const proc = new FakeProc();
    const ahead = 1500;
    proc.lastPid = ahead - 1;
    proc.start();
    proc.lastPid = 1000;
    const search = new MarkMemory(PREFIX, proc);
    // The pids come to the place where an old process was.
    proc.end(ahead);
    proc.turnOn(499);
    expect(proc.start({ environ: marked() })).toBe(ahead);
    expect(find(search)).toEqual([ahead]);
  });

  /** The pids come to the place where an old process was. The second pid from now is its. */
  function comeRound(proc: FakeProc): { readonly search: MarkSearch; readonly old: number } {
    const old = 1500;
    proc.lastPid = old - 1;
    proc.start();
    proc.lastPid = 1000;
    const search = new MarkMemory(PREFIX, proc);
    proc.end(old);
    proc.turnOn(498);
    find(search);
    return { search, old };
  }

  it("reads a pid again that was given to a process during the search before", () => {
    const proc = new FakeProc();
    const { search, old } = comeRound(proc);
    proc.start();
    proc.onRead = (file) => {
      if (file !== "/proc/stat") return;
      proc.onRead = () => {};
      proc.start({ environ: marked() });
    };
    expect(find(search)).toEqual([]);
    expect(find(search)).toEqual([old]);
  });

  it("reads a pid again that was given to another process, while another search pauses", () => {
    const proc = new FakeProc();
    const { search, old } = comeRound(proc);
    proc.start();
    proc.start({ environ: marked() });
    const paused = search.find([MARKER]);
    paused.next();
    expect(find(search)).toEqual([old]);
  });

  it("reads a pid again that was given after the highest pid", () => {
    const proc = new FakeProc();
    const low = 400;
    proc.lastPid = low - 1;
    proc.start();
    proc.lastPid = 32_700;
    const search = new MarkMemory(PREFIX, proc);
    proc.end(low);
    proc.turnOn(32_768 - 32_700 - 1 + (low - 300));
    expect(proc.start({ environ: marked() })).toBe(low);
    expect(find(search)).toEqual([low]);
  });

  it("reads every process if the pids may have gone round", () => {
    const proc = new FakeProc();
    const old = proc.start();
    const search = new MarkMemory(PREFIX, proc);
    proc.end(old);
    proc.turnOn(32_768 - 300 - 1);
    expect(proc.start({ environ: marked() })).toBe(old);
    proc.turnOn(1);
    expect(find(search)).toEqual([old]);
  });

  it("reads every process where the kernel does not tell which pid was given last", () => {
    const proc = new FakeProc();
    const old = proc.start();
    const search = new MarkMemory(PREFIX, proc);
    Object.assign(proc.processes.get(old) ?? {}, { environ: marked() });
    expect(find(search)).toEqual([]);
    proc.lastPid = 0;
    expect(find(search)).toEqual([old]);
  });

  it("reads every process after forget()", () => {
    const proc = new FakeProc();
    const old = proc.start();
    const search = new MarkMemory(PREFIX, proc);
    Object.assign(proc.processes.get(old) ?? {}, { environ: marked() });
    search.forget();
    expect(find(search)).toEqual([old]);
  });

  it("returns no process that has ended, is a zombie, or holds the marker no more", () => {
    const proc = new FakeProc();
    const search = new MarkMemory(PREFIX, proc);
    const [ended, zombie, changed] = [1, 2, 3].map(() => proc.start({ environ: marked() }));
    expect(find(search)).toEqual([ended, zombie, changed]);
    proc.end(ended as number);
    Object.assign(proc.processes.get(zombie as number) ?? {}, { state: "Z", environ: "" });
    Object.assign(proc.processes.get(changed as number) ?? {}, { environ: "HOME=/" });
    expect(find(search)).toEqual([]);
  });

  it("finds a process that was started between two slices of an earlier search", () => {
    const proc = new FakeProc();
    const search = new MarkMemory(PREFIX, proc);
    for (let i = 0; i < 10; i += 1) proc.start();
    const steps = search.find([MARKER]);
    steps.next();
    const pid = proc.start({ environ: marked() });
    // The exit of the program searches at once while the other search is under way.
    expect(find(search)).toEqual([pid]);
    expect(runAtOnce(steps).found).toEqual([]);
    expect(find(search)).toEqual([pid]);
  });
});
