import { describe, expect, it } from "vitest";
import { ProcTable } from "../../src/process/end/proc-table.js";
import { FakeProc } from "./fake-proc.helper.js";

const pidsOf = (entries: readonly { pid: number }[]) => entries.map(({ pid }) => pid).sort();

/** A process with a second thread, which has two children; one of these has a child. */
function family(proc: FakeProc): { root: number; all: number[] } {
  const root = proc.start({ ppid: process.pid });
  proc.processes.get(root)?.children.set(root + 1, []);
  proc.turnOn(1);
  const [first = 0, second = 0] = [1, 2].map(() => proc.start({ ppid: root }));
  const grandchild = proc.start({ ppid: first });
  return { root, all: [root, first, second, grandchild].sort() };
}

describe("ProcTable.tree()", () => {
  it.each([true, false])("returns the process and all below it (child lists: %s)", (hasLists) => {
    const proc = new FakeProc();
    proc.hasChildLists = hasLists;
    const { root, all } = family(proc);
    proc.start();
    expect(pidsOf(new ProcTable(proc).tree(root))).toEqual(all);
  });

  it("reads as many files beside 1,000 unrelated processes as beside 10", () => {
    const counts = [10, 1000].map((count) => {
      const proc = new FakeProc();
      for (let i = 0; i < count; i += 1) proc.start();
      const { root } = family(proc);
      new ProcTable(proc).tree(root);
      return proc.readFiles().length;
    });
    expect(counts[1]).toBe(counts[0]);
  });

  it("reads every process once for all trees of a turn where there are no child lists", async () => {
    const proc = new FakeProc();
    proc.hasChildLists = false;
    const table = new ProcTable(proc);
    const [one, two] = [family(proc), family(proc)];
    expect(pidsOf(table.tree(one.root))).toEqual(one.all);
    expect(pidsOf(table.tree(two.root))).toEqual(two.all);
    expect(proc.readFiles().filter((file) => file === "/proc")).toHaveLength(1);
    await new Promise((resolve) => setImmediate(resolve));
    const late = proc.start({ ppid: two.root });
    expect(pidsOf(table.tree(two.root))).toContain(late);
  });

  it("spares the watchdog of a nested host, and no other shell", () => {
    const proc = new FakeProc();
    const root = proc.start({ ppid: process.pid });
    const watchdog = "/bin/sh\u0000-c\u0000exit\u0000hawser-watchdog\u00001.2.3.4\u0000";
    proc.start({ ppid: root, name: "sh", cmdline: watchdog });
    const shell = proc.start({ ppid: root, name: "sh", cmdline: "sh\u0000-c\u0000exit\u0000" });
    expect(pidsOf(new ProcTable(proc).tree(root))).toEqual([root, shell]);
  });

  it("reads the list again if a listed child has gone, because another may be missing", () => {
    const proc = new FakeProc();
    const root = proc.start({ ppid: process.pid });
    const [brief = 0, lasting = 0] = [1, 2].map(() => proc.start({ ppid: root }));
    const list = proc.processes.get(root)?.children.get(root) ?? [];
    let torn = 0;
    proc.onRead = (file) => {
      if (file === `/proc/${root}/task/${root}/children`) {
        torn += 1;
        // What a kernel writes if the first child is removed while it writes the list.
        if (torn === 1) list.splice(0, 2, brief);
        else if (torn === 2) list.splice(0, 1, lasting);
      }
      if (file === `/proc/${brief}/stat`) proc.processes.delete(brief);
    };
    expect(pidsOf(new ProcTable(proc).tree(root))).toEqual([root, lasting]);
    expect(torn).toBe(2);
  });

  it("takes no children of a process that has got the number of a thread", () => {
    const proc = new FakeProc();
    const { root, all } = family(proc);
    const other = proc.start({ ppid: process.pid });
    proc.start({ ppid: other });
    const thread = root + 1;
    const own = proc.processes.get(root)?.children.get(thread) ?? [];
    let isOther = true;
    proc.onRead = (file) => {
      if (file !== `/proc/${thread}/task/${thread}/children`) return;
      const foreign = proc.processes.get(other)?.children.get(other) ?? [];
      proc.processes.get(root)?.children.set(thread, isOther ? foreign : own);
      isOther = false;
    };
    expect(pidsOf(new ProcTable(proc).tree(root)).sort()).toEqual([...all].sort());
    expect(isOther).toBe(false);
  });

  it("keeps the children of a process that ends after they were listed", () => {
    const proc = new FakeProc();
    const root = proc.start({ ppid: process.pid });
    const shell = proc.start({ ppid: root });
    const daemon = proc.start({ ppid: shell });
    proc.onRead = (file) => {
      if (file !== `/proc/${daemon}/stat` || !proc.processes.has(shell)) return;
      proc.processes.delete(shell);
      Object.assign(proc.processes.get(daemon) ?? {}, { ppid: 1 });
    };
    expect(pidsOf(new ProcTable(proc).tree(root))).toContain(daemon);
  });

  it("looks at every process if the lists change each time", () => {
    const proc = new FakeProc();
    const root = proc.start({ ppid: process.pid });
    const child = proc.start({ ppid: root });
    proc.onRead = (file) => {
      if (file === `/proc/${root}/task/${root}/children`) {
        proc.processes.get(root)?.children.set(root, [99_999]);
      }
    };
    expect(pidsOf(new ProcTable(proc).tree(root))).toEqual([root, child]);
  });

  it("follows the children of a process whose first thread has ended", () => {
    const proc = new FakeProc();
    const { root, all } = family(proc);
    Object.assign(proc.processes.get(root) ?? {}, { state: "Z" });
    expect(pidsOf(new ProcTable(proc).tree(root))).toEqual(all.filter((pid) => pid !== root));
  });

  it("is empty for a process that does not exist", () => {
    expect(new ProcTable(new FakeProc()).tree(77)).toEqual([]);
  });
});
