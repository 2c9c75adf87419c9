import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { processTable } from "../../src/process/end/process-table.js";
import { SharedSearch } from "../../src/process/end/shared-search.js";
import { runAtOnce } from "../../src/process/end/steps.js";
import { killThese, sweepTree } from "../../src/process/end/sweep-tree.js";
import { everyProcess, treeOf, until } from "../support/proc.js";

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/**
 * A shell with a child below it, one more in a session of its own, and an orphan: the shell between
 * them has ended, which its parent waits for before it says so.
 */
async function family(
  marker: string,
): Promise<{ root: number; pids: number[]; child: ChildProcess }> {
  const script =
    "sleep 600 & setsid sleep 600 & echo $! ; (setsid sh -c 'echo $$; exec sleep 600' &) ; echo settled ; wait";
  const child = spawn("sh", ["-c", script], {
    env: { PATH: process.env["PATH"], HAWSER_MARK: marker },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  started.push(child);
  const pids: number[] = [];
  let text = "";
  while (text.split("\n").length < 4) {
    const [chunk] = (await once(child.stdout as NodeJS.EventEmitter, "data")) as [Buffer];
    text += chunk.toString();
  }
  for (const line of text.match(/\d+/g) ?? []) pids.push(Number(line));
  return { root: child.pid as number, pids: [child.pid as number, ...pids], child };
}

const WAYS = (["linux", "darwin"] as const).filter(
  (way) => way !== "linux" || process.platform === "linux",
);

describe.skipIf(process.platform === "win32")("the process table", () => {
  it.each(WAYS)("shows a tree and which processes have ended, read by %s", async (platform) => {
    const table = processTable(platform);
    const { root, child } = await family(`table-${platform}`);
    const tree = table.tree(root);
    expect(tree.map(({ pid }) => pid)).toContain(root);
    expect(tree.length).toBeGreaterThanOrEqual(3);
    expect(tree.every((entry) => table.alive(entry))).toBe(true);
    expect(table.alive({ pid: root, started: "another time" })).toBe(false);
    const exited = once(child, "exit");
    for (const { pid } of tree) process.kill(pid, "SIGKILL");
    await exited;
    expect(table.alive(tree[0] as (typeof tree)[number])).toBe(false);
    await sweepTree(tree, `table-${platform}`);
  });

  it.skipIf(process.platform !== "linux")(
    "finds by its marker a process that has left the tree",
    async () => {
      const marker = `marker-${process.pid}-${Date.now()}`;
      const search = processTable().markSearch("marker-");
      const findMarked = () => runAtOnce(search.find([marker])).found.map(({ pid }) => pid);
      const { root, pids } = await family(marker);
      const orphan = pids[2] as number;
      // A process that is about to become another program shows no environment for a moment.
      await until(() => {
        const others = everyProcess().filter(({ pid }) => pid === orphan);
        others.push(...treeOf(root).slice(1));
        return others.length === 3 && others.every(({ command }) => command === "sleep 600");
      });
      const tree = processTable()
        .tree(root)
        .map(({ pid }) => pid);
      const marked = findMarked();
      expect(tree).not.toContain(orphan);
      expect(marked).toContain(orphan);
      for (const pid of tree) expect(marked).toContain(pid);
      const options = { search: new SharedSearch(() => search) };
      expect(await sweepTree([], marker, options)).toEqual([]);
      expect(findMarked()).toEqual([]);
    },
  );

  it.each(WAYS)("reports a process as gone only if it is certain, read by %s", (platform) => {
    const table = processTable(platform);
    const self = table.self();
    expect(table.isGone(process.pid, self)).toBe(false);
    // A younger one has its number by now.
    expect(table.isGone(process.pid, String(Number(self) - 1000))).toBe(true);
    // The clock was set, or it counts from elsewhere: no reason to end anything.
    expect(table.isGone(process.pid, String(Number(self) + 1000))).toBe(false);
    expect(table.isGone(2 ** 22 + 1, self)).toBe(true);
  });

  it.each(WAYS)("returns the ancestors of a process, read by %s", (platform) => {
    expect(processTable(platform).above(process.pid)[0]).toBe(process.ppid);
  });

  it("does not signal a recorded pid that now belongs to another process", () => {
    expect(killThese([{ pid: process.pid, started: "long ago" }])).toEqual([]);
  });
});
