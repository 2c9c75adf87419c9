import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { PROC_FILES } from "../../src/process/end/proc-files.js";
import { ProcTable } from "../../src/process/end/proc-table.js";
import { type ProcessEntry, processTable } from "../../src/process/end/process-table.js";
import { runAtOnce } from "../../src/process/end/steps.js";
import { sweepTree } from "../../src/process/end/sweep-tree.js";
import { type CliProcess, prepare, spawnCli } from "../../src/process/index.js";
import { environmentOf, everyProcess, type Seen, stillAlive, until } from "../support/proc.js";

const EXITING_HOST = fileURLToPath(new URL("exiting-host.js", import.meta.url));

/** A running CLI that has started other processes. */
interface Tree {
  readonly cli: CliProcess;
  /** The processes with the CLI's environment, also those that have left its tree. */
  processes(): Seen[];
}

async function startTree(text: string): Promise<Tree> {
  const { cliPath, env, processes } = scene(text);
  const cli = await spawnCli(await prepare({ cliPath, env }));
  onTestFinished(() => cli.kill());
  return { cli, processes };
}

/** A CLI that runs shell text and then waits for the end of its input. */
function scene(text: string) {
  const folder = mkdtempSync(join(tmpdir(), "hawser-tree-"));
  const cliPath = join(folder, "cli");
  const version = '[ "$1" = -v ] && echo "2.1.325 (Claude Code)" && exit';
  writeFileSync(cliPath, `#!/bin/sh\n${version}\n${text}\ncat >/dev/null\n`, { mode: 0o755 });
  const env = { TREE: randomUUID() };
  const processes = () => everyProcess().filter(({ pid }) => holds(pid, `TREE=${env.TREE}`));
  onTestFinished(() => {
    for (const { pid } of processes()) process.kill(pid, "SIGKILL");
    rmSync(folder, { recursive: true });
  });
  return { cliPath, env, processes };
}

function holds(pid: number, text: string): boolean {
  try {
    return environmentOf(pid).includes(text);
  } catch {
    return false; // It has ended in the meantime.
  }
}

/** As many processes that sleep, none of them below this program or below a CLI. */
async function unrelated(count: number): Promise<Seen[]> {
  const id = `UNRELATED=${randomUUID()}`;
  const text = `i=0; while [ $i -lt ${count} ]; do sleep 600 & i=$((i + 1)); done`;
  const env = { PATH: process.env["PATH"], UNRELATED: id.slice("UNRELATED=".length) };
  const shell = spawn("/bin/sh", ["-c", text], { detached: true, env, stdio: "ignore" });
  onTestFinished(() => void process.kill(-(shell.pid as number), "SIGKILL"));
  return until(() => {
    const found = everyProcess().filter(({ pid, command }) => {
      return command === "sleep 600" && holds(pid, id);
    });
    return found.length === count && found;
  });
}

/** A daemon: its parents have ended, it leads a session, and it has a child. */
const DAEMON = "(setsid sh -c 'sleep 600 & sleep 600; :' &)";
/** The CLI, the daemon's shell and its two children, and the `cat` of the CLI. */
const WITH_DAEMON = 5;

/** Goes on in a new process and a new session each time, and leaves no parent behind. */
const HOPS = `hop='sleep 0.02; setsid sh -c "$HOP" & exit'; export HOP="$hop"; (setsid sh -c "$hop" &)`;

/** Starts short-lived processes without end; each of them loses its parent. */
const STORM = "(setsid sh -c 'while :; do (sleep 0.01 &); (sleep 0.02 &); sleep 0.005; done' &)";

describe.skipIf(process.platform !== "linux")("the end of a process", () => {
  it.each(["close", "kill"] as const)("by %s() ends daemons that left the tree", async (way) => {
    const { cli, processes } = await startTree(DAEMON);
    await until(() => processes().length === WITH_DAEMON);
    await cli[way]();
    expect(processes()).toEqual([]);
  });

  it.each([
    { name: "starts short-lived processes all the time", text: STORM },
    { name: "becomes another process all the time", text: HOPS },
  ])("ends a daemon that $name", async ({ text }) => {
    const { cli, processes } = await startTree(text);
    await until(() => processes().length > 2);
    await cli.kill();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(processes()).toEqual([]);
  });

  it("ends processes that are started while the tree is killed", async () => {
    // The shell starts a daemon for each signal and each end of a child.
    const { cli, processes } = await startTree(`trap "${DAEMON.replaceAll('"', '\\"')}" TERM`);
    await until(() => processes().length === 2);
    const closing = cli.close();
    process.kill(cli.pid as number, "SIGTERM");
    await closing;
    expect(processes()).toEqual([]);
  });

  it("ends only its own tree, and two trees at once", async () => {
    const trees = await Promise.all([1, 2, 3].map(() => startTree(DAEMON)));
    const [one, two, three] = trees as [Tree, Tree, Tree];
    await until(() => trees.every(({ processes }) => processes().length === WITH_DAEMON));
    await Promise.all([one.cli.kill(), two.cli.close()]);
    expect([...one.processes(), ...two.processes()]).toEqual([]);
    expect(three.processes()).toHaveLength(WITH_DAEMON);
  });

  it("ends a daemon beside 300 unrelated processes, and none of these", async () => {
    const before = await unrelated(150);
    const { cli, processes } = await startTree(DAEMON);
    const after = await unrelated(150);
    await until(() => processes().length === WITH_DAEMON);
    await cli.kill();
    expect(processes()).toEqual([]);
    expect(stillAlive([...before, ...after])).toHaveLength(300);
  });

  it("does not read the files of unrelated processes", async () => {
    const strangers = await unrelated(50);
    const read: string[] = [];
    const table = new ProcTable({
      ...PROC_FILES,
      read: (file) => {
        read.push(file);
        return PROC_FILES.read(file);
      },
    });
    const search = table.markSearch("TREE=");
    const { cli, processes } = await startTree(DAEMON);
    await until(() => processes().length === WITH_DAEMON);
    const found = runAtOnce(search.find(["TREE="])).found.map(({ pid }) => pid);
    expect(found).toEqual(expect.arrayContaining(processes().map(({ pid }) => pid)));
    expect(table.tree(cli.pid as number).length).toBeGreaterThanOrEqual(2);
    const pids = new Set(strangers.map(({ pid }) => String(pid)));
    expect(read.filter((file) => pids.has(file.split("/")[2] ?? ""))).toEqual([]);
  });
});

describe.skipIf(process.platform !== "linux")("the exit of a program without a watchdog", () => {
  it("ends all its CLIs, and daemons that left their trees", async () => {
    const { cliPath, env, processes } = scene(DAEMON);
    const count = 3;
    const args = [EXITING_HOST, JSON.stringify({ cliPath, env, count })];
    const host = spawn(process.execPath, args, {
      env: { ...process.env, HAWSER_WATCHDOG: "off" },
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void host.kill("SIGKILL"));
    await once(host.stdout, "data");
    await until(() => processes().length === count * WITH_DAEMON);
    const exit = once(host, "exit");
    host.stdin.write("exit\n");
    expect(await exit).toEqual([0, null]);
    // The signals were sent before the exit; the processes may need a moment to die.
    await until(() => processes().length === 0);
  });
});

describe.skipIf(process.platform !== "linux")("sweepTree()", () => {
  /** A process, and a search that finds it as long as it runs. */
  function escaped(): { child: ChildProcess; entry: ProcessEntry; asked: boolean[] } {
    const child = spawn("sleep", ["600"], { stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    const pid = child.pid as number;
    return { child, entry: { pid, started: processTable().startOf(pid) ?? "" }, asked: [] };
  }

  it("reads everything at last if a process was found that was not recorded", async () => {
    const { entry, asked } = escaped();
    const search = {
      find: async (_: string, anew: boolean) => {
        asked.push(anew);
        const found = processTable().alive(entry) ? [{ ...entry, value: "marker" }] : [];
        return { found, isCertain: true, hasMissed: false };
      },
    };
    expect(await sweepTree([], "marker", { search })).toEqual([]);
    expect(asked.at(-1)).toBe(true);
    expect(asked.filter((anew) => anew)).toHaveLength(1);
  });

  it("does not read everything if only recorded processes were left", async () => {
    const { entry, asked } = escaped();
    const search = {
      find: async (_: string, anew: boolean) => {
        asked.push(anew);
        return { found: [], isCertain: true, hasMissed: false };
      },
    };
    expect(await sweepTree([entry], "marker", { search })).toEqual([]);
    expect(asked).not.toContain(true);
    expect(processTable().alive(entry)).toBe(false);
  });

  it("searches again as long as a search is in doubt", async () => {
    let searches = 0;
    const search = {
      find: async () => {
        searches += 1;
        return { found: [], isCertain: searches === 3, hasMissed: false };
      },
    };
    expect(await sweepTree([], "marker", { search })).toEqual([]);
    expect(searches).toBe(3);
  });

  it("searches again, a few times, if a process was gone before it could be read", async () => {
    let searches = 0;
    const search = {
      find: async () => {
        searches += 1;
        return { found: [], isCertain: true, hasMissed: true };
      },
    };
    expect(await sweepTree([], "marker", { search })).toEqual([]);
    expect(searches).toBe(3);
  });

  it("searches on as long as a process that was found has ended before it could be killed", async () => {
    let searches = 0;
    const search = {
      find: async () => {
        searches += 1;
        const hop = { pid: process.pid, started: String(searches), value: "marker" };
        return { found: searches < 8 ? [hop] : [], isCertain: true, hasMissed: false };
      },
    };
    expect(await sweepTree([], "marker", { search })).toEqual([]);
    expect(searches).toBeGreaterThan(8);
  });

  it("searches until none is missed if a process was found that was not recorded", async () => {
    const { entry } = escaped();
    let searches = 0;
    const search = {
      find: async () => {
        searches += 1;
        const found = processTable().alive(entry) ? [{ ...entry, value: "marker" }] : [];
        return { found, isCertain: true, hasMissed: searches < 8 };
      },
    };
    expect(await sweepTree([], "marker", { search })).toEqual([]);
    expect(searches).toBeGreaterThanOrEqual(8);
  });
});
