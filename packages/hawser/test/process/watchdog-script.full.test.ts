import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { WATCHDOG_SCRIPT } from "../../src/process/end/watchdog-script.js";
import { temporaryPrefix } from "../../src/process/temporary/temporary-path.js";
import { type Seen, stillAlive, treeOf, until } from "../support/proc.js";

const PATH = process.env["PATH"] ?? "";

interface Scene {
  readonly host: string;
  readonly tmp: string;
  readonly mark: string;
}

function scene(): Scene {
  const tmp = mkdtempSync(join(tmpdir(), "watchdog-"));
  onTestFinished(() => rmSync(tmp, { recursive: true, force: true }));
  const host = `1.2.3.${randomUUID().slice(0, 8)}`;
  return { host, tmp, mark: `${host}/${randomUUID()}` };
}

type Look = "proc" | "ps" | "proc without child lists";

function watchdog(
  { host, tmp }: Scene,
  look: Look,
  path = PATH,
  sh: readonly string[] = ["/bin/sh"],
): ChildProcess {
  const [way = "", ...without] = look.split(" ");
  const script =
    without.length === 0 ? WATCHDOG_SCRIPT : WATCHDOG_SCRIPT.replace("&& look=lists", "&& :");
  const args = ["-c", script, "hawser-watchdog", host, way];
  const [file = "", ...before] = sh;
  const shell = spawn(file, [...before, ...args], {
    detached: true,
    env: { PATH: path },
    stdio: ["pipe", "ignore", "ignore"],
  });
  onTestFinished(() => void shell.kill("SIGKILL"));
  shell.stdin?.write(`t ${tmp}\n`);
  return shell;
}

/** Runs shell text in a group of its own, and waits until so many processes of it are there. */
async function run(text: string, mark: string | undefined, size: number): Promise<Seen[]> {
  const child = spawn("/bin/sh", ["-c", text], {
    detached: true,
    env: { PATH, ...(mark === undefined ? {} : { HAWSER_MARK: mark }) },
    stdio: "ignore",
  });
  const tree = await until(() => {
    const found = treeOf(child.pid ?? 0);
    // Until it has become another program, a child looks like its parent.
    return found.length === size && found.slice(1).every(({ command }) => !command.includes(text))
      ? found
      : undefined;
  });
  onTestFinished(() => {
    for (const { pid } of stillAlive(tree)) process.kill(pid, "SIGKILL");
  });
  return tree;
}

/** A process of that name, as the kernel shows it. */
async function named(name: string, mark: string | undefined): Promise<Seen[]> {
  const text = `process.title = ${JSON.stringify(name)}; setInterval(() => {}, 60_000)`;
  const child = spawn(process.execPath, ["-e", text], {
    env: mark === undefined ? {} : { HAWSER_MARK: mark },
    stdio: "ignore",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const pid = child.pid ?? 0;
  await until(() => readFileSync(`/proc/${pid}/comm`, "latin1").startsWith(name.slice(0, 5)));
  return treeOf(pid);
}

async function die(shell: ChildProcess, lines = ""): Promise<void> {
  const exit = once(shell, "exit");
  shell.stdin?.end(lines);
  await exit;
}

/** A grep that knows no `-z`, as busybox's. */
function withoutNul({ tmp }: Scene): string {
  const folder = join(tmp, "bin");
  mkdirSync(folder);
  const grep = 'case $1 in -*z*) exit 2 ;; esac\nexec /usr/bin/env PATH="$REAL" grep "$@"\n';
  writeFileSync(join(folder, "grep"), `#!/bin/sh\nREAL='${PATH}'\n${grep}`);
  chmodSync(join(folder, "grep"), 0o755);
  return `${folder}:${PATH}`;
}

const LOOKS = ["proc", "proc without child lists"] as const;

describe.skipIf(process.platform !== "linux")(
  "the watchdog script after the death of its host",
  () => {
    it.each([
      { grep: "GNU", look: "proc", path: () => PATH },
      { grep: "GNU", look: "proc without child lists", path: () => PATH },
      { grep: "busybox", look: "proc", path: withoutNul },
    ] as const)("ends processes with its marker and their children ($grep, $look)", async (of) => {
      const at = scene();
      const shell = watchdog(at, of.look, of.path(at));
      const marked = await run("sleep 300 & sleep 300; :", at.mark, 3);
      const bare = await run("env -i sleep 300; :", at.mark, 2);
      const inner = await run("sleep 300; :", `outer:${at.mark}:1.2.3.00000000/x`, 2);
      const foreign = await run("sleep 300; :", `${at.host}0/${randomUUID()}`, 2);
      await die(shell);
      expect(stillAlive([...marked, ...bare, ...inner])).toEqual([]);
      expect(stillAlive(foreign)).toEqual(foreign);
    });

    it.each(LOOKS)(
      "ends a process that ignores SIGTERM, and one without its parent and marker (%s)",
      async (look) => {
        const at = scene();
        const shell = watchdog(at, look);
        const stubborn = await run("trap '' TERM; sleep 300; sleep 300; sleep 300", at.mark, 2);
        const text = "trap '' TERM; env -i /bin/sh -c 'sleep 300; sleep 300; sleep 300'; :";
        const orphan = await run(text, at.mark, 3);
        await die(shell);
        expect(stillAlive([...stubborn, ...orphan])).toEqual([]);
      },
    );

    it.each(LOOKS)(
      "ends a listed process without a marker, unless its pid belongs to another process (%s)",
      async (look) => {
        const at = scene();
        const shell = watchdog(at, look);
        const [listed = [], reused = [], ended = []] = await Promise.all(
          [1, 2, 3].map(() => run("sleep 300; :", undefined, 2)),
        );
        const [one, two, three] = [listed, reused, ended].map(([first]) => first as Seen);
        const taken = `${three?.pid} ${three?.started}`;
        const lines = [
          `+ ${one?.pid} ${one?.started}`,
          `+ ${two?.pid} 1`,
          `+ ${taken}`,
          `- ${taken}`,
        ];
        await die(shell, `${lines.join("\n")}\n`);
        expect(stillAlive(listed)).toEqual([]);
        expect(stillAlive([...reused, ...ended])).toEqual([...reused, ...ended]);
      },
    );

    it.each(LOOKS)(
      "parses process names with parentheses, spaces and line breaks (%s)",
      async (look) => {
        const at = scene();
        const shell = watchdog(at, look);
        const victim = await run("sleep 300; :", undefined, 2);
        const marked = await named(") R *\n1 2", at.mark);
        const stranger = await named(") R /tmp/Z*\n", undefined);
        await die(shell);
        expect(stillAlive(marked)).toEqual([]);
        expect(stillAlive([...victim, ...stranger])).toEqual([...victim, ...stranger]);
      },
    );

    it.each(LOOKS)("does not end the watchdog of a nested host (%s)", async (look) => {
      const at = scene();
      const shell = watchdog(at, look);
      const text = "env -i /bin/sh -c 'sleep 300; :' hawser-watchdog 1.2.3.00000000 proc; :";
      const [host, ...inner] = await run(text, at.mark, 3);
      await die(shell);
      expect(stillAlive([host as Seen])).toEqual([]);
      expect(stillAlive(inner)).toEqual(inner);
    });

    it("removes only the temporary folders of the host, no link and no folder of others", async () => {
      const at = scene();
      const shell = watchdog(at, "proc");
      const [own, link, foreign] = ["01", "02", "03"].map((end) => {
        return join(at.tmp, `${temporaryPrefix(at.host)}${end}`);
      }) as [string, string, string];
      const others = join(at.tmp, `${temporaryPrefix(scene().host)}01`);
      for (const folder of [own, others, foreign]) mkdirSync(folder);
      writeFileSync(join(own, "settings.json"), "secret");
      symlinkSync(others, link);
      const isRoot = process.geteuid?.() === 0;
      if (isRoot) chownSync(foreign, 54321, 54321);
      await die(shell);
      expect([own, others, link].map((folder) => existsSync(folder))).toEqual([false, true, true]);
      expect(existsSync(foreign)).toBe(isRoot);
    });
  },
);

describe.skipIf(process.platform !== "linux")(
  "the watchdog script where environments cannot be read",
  () => {
    it("ends listed group leaders with their children, and no unlisted process", async () => {
      const at = scene();
      const shell = watchdog(at, "ps");
      const listed = await run("env -i sleep 300; :", undefined, 2);
      const unlisted = await run("sleep 300; :", undefined, 2);
      const [leader, follower] = await run("sleep 300; :", undefined, 2);
      const pids = [listed[0], unlisted[0], follower].map((each) => each?.pid);
      await die(shell, `+ ${pids[0]} -\n+ ${pids[1]} -\n+ ${pids[2]} -\n- ${pids[1]} -\n`);
      expect(stillAlive(listed)).toEqual([]);
      expect(stillAlive(unlisted)).toEqual(unlisted);
      expect(stillAlive([leader, follower] as Seen[])).toHaveLength(2);
    });
  },
);

it.skipIf(process.platform !== "linux")(
  "the watchdog script exits when nothing is left to watch",
  async () => {
    const at = scene();
    const shell = watchdog(at, "proc");
    const marked = await run("sleep 300; :", at.mark, 2);
    await die(shell, "q\n");
    expect(shell.exitCode).toBe(0);
    expect(stillAlive(marked)).toEqual(marked);
  },
);

/** A sleep that knows whole seconds only, as POSIX asks for. */
function withoutFractions({ tmp }: Scene): string {
  const folder = join(tmp, "bin");
  mkdirSync(folder);
  const sleep = 'case $1 in *.*) exit 1 ;; esac\nexec /usr/bin/env PATH="$REAL" sleep "$1"\n';
  writeFileSync(join(folder, "sleep"), `#!/bin/sh\nREAL='${PATH}'\n${sleep}`);
  chmodSync(join(folder, "sleep"), 0o755);
  return `${folder}:${PATH}`;
}

/** What the watchdog itself has started. */
function helpersOf(shell: ChildProcess): Seen[] {
  return treeOf(shell.pid ?? 0).slice(1);
}

describe.skipIf(process.platform !== "linux")("a deadline of the watchdog script", () => {
  const seconds = 3.5;

  it.each([
    { name: "dash", sh: ["/bin/dash"], look: "proc", path: () => PATH },
    { name: "bash", sh: ["/bin/bash", "--posix", "--norc"], look: "proc", path: () => PATH },
    {
      name: "sh, no child lists",
      sh: ["/bin/sh"],
      look: "proc without child lists",
      path: () => PATH,
    },
    { name: "sh, whole seconds", sh: ["/bin/sh"], look: "proc", path: withoutFractions },
  ] as const)(
    "ends the process, its orphans and no other, unless it is renewed ($name)",
    async (of) => {
      const at = scene();
      const shell = watchdog(at, of.look, of.path(at), of.sh);
      const other = await run("sleep 300; :", `${at.host}/${randomUUID()}`, 2);
      // In a session of its own, and ignoring SIGTERM.
      const victim = await run("trap '' TERM; setsid sleep 300 & sleep 300; sleep 300", at.mark, 3);
      const [root] = victim;
      const line = `d ${root?.pid} ${root?.started} ${seconds} ${at.mark}\n`;
      shell.stdin?.write(
        `+ ${root?.pid} ${root?.started}\n+ ${other[0]?.pid} ${other[0]?.started}\n`,
      );
      // Renewed for longer than the limit, also at once, before the deadline has settled in.
      shell.stdin?.write(line.repeat(20));
      for (let times = 0; times < 20; times++) {
        await new Promise((resolve) => setTimeout(resolve, 250));
        shell.stdin?.write(line);
      }
      const renewedAt = performance.now();
      expect(stillAlive(victim)).toEqual(victim);
      await until(() => stillAlive(victim).length === 0);
      // Whole seconds are rounded down, so that the process never lives longer than it may.
      expect(performance.now() - renewedAt).toBeGreaterThan(
        of.name.includes("whole") ? 2_900 : 3_400,
      );
      expect(stillAlive(other)).toEqual(other);
      expect(shell.exitCode).toBe(null);
      // The watchdog goes on, and nothing of the deadline is left.
      shell.stdin?.write(`- ${root?.pid} ${root?.started}\n`);
      await until(() => helpersOf(shell).length === 0);
      await die(shell);
      expect(stillAlive(other)).toEqual([]);
    },
  );

  it("goes away with its process, and with the host", async () => {
    const at = scene();
    const shell = watchdog(at, "proc");
    const first = await run("sleep 300; :", at.mark, 2);
    const second = await run("sleep 300; :", at.mark, 2);
    const lineOf = ([root]: readonly Seen[]) => `${root?.pid} ${root?.started}`;
    shell.stdin?.write(
      `d ${lineOf(first)} 300.5 ${at.mark}\nd ${lineOf(second)} 300.5 ${at.mark}\n`,
    );
    const helpers = await until(() =>
      helpersOf(shell).length === 4 ? helpersOf(shell) : undefined,
    );
    shell.stdin?.write(`- ${lineOf(first)}\n`);
    await until(() => helpersOf(shell).length === 2);
    await die(shell);
    expect(stillAlive([...helpers, ...first, ...second])).toEqual([]);
  });

  it("ends nothing if the watchdog was killed, because the host starts another", async () => {
    const at = scene();
    const shell = watchdog(at, "proc");
    const victim = await run("sleep 300; :", at.mark, 2);
    shell.stdin?.write(`d ${victim[0]?.pid} ${victim[0]?.started} ${seconds} ${at.mark}\n`);
    const helpers = await until(() =>
      helpersOf(shell).length === 2 ? helpersOf(shell) : undefined,
    );
    const exit = once(shell, "exit");
    shell.kill("SIGKILL");
    await exit;
    await until(() => stillAlive(helpers).length === 0);
    expect(stillAlive(victim)).toEqual(victim);
  });
});
