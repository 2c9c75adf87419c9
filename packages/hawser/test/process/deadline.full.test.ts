import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Deadline } from "../../src/process/end/deadline.js";
import { openSession } from "../../src/session/index.js";
import "../support/built.js";
import { open } from "../session/fake.helper.js";
import { clisInTurn } from "../support/cli.js";
import { type Seen, stillAlive, treeOf, until } from "../support/proc.js";

const HOST = fileURLToPath(new URL("./frozen-host.js", import.meta.url));

interface Host {
  readonly pid: number;
  /** The next line that the host prints. */
  line(): Promise<string>;
  /** Everything below the host, with the watchdog. */
  tree(): Seen[];
  /** Resolves with the exit code. */
  readonly exited: Promise<unknown>;
}

function startHost(...args: string[]): Host {
  const child = spawn(process.execPath, [HOST, ...args], {
    // A group of its own, as a host has it.
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pid = child.pid ?? 0;
  onTestFinished(() => {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // The host has ended.
    }
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = once(child, "exit").then(([code]) => code);
  return {
    pid,
    line: async () => (await lines.next()).value ?? "",
    tree: () => treeOf(pid),
    exited,
  };
}

/** The tree of the CLI, once its tool runs. */
function toolTree(cli: number): Seen[] | undefined {
  const tree = treeOf(cli);
  return tree.some(({ command }) => command === "sleep 600") ? tree : undefined;
}

describe.skipIf(process.platform !== "linux").each(clisInTurn())(
  "renewWithinMs on the real CLI $name",
  ({ path }) => {
    it("ends the CLI and its tools while the host is frozen; the thawed host gets a timeout", async () => {
      const host = startHost(path, "yes");
      const cli = Number(await host.line());
      expect(await host.line()).toBe("tool");
      const tree = await until(() => toolTree(cli));
      // Longer than the limit, so that the renewals count.
      await new Promise((resolve) => setTimeout(resolve, 6_000));
      expect(stillAlive(tree)).toEqual(tree);
      const all = host.tree();

      const frozenAt = performance.now();
      process.kill(-host.pid, "SIGSTOP");
      await until(() => stillAlive(tree).length === 0);
      expect(performance.now() - frozenAt).toBeGreaterThan(4_500);
      expect(stillAlive([all[0] as Seen]).length).toBe(1);

      process.kill(-host.pid, "SIGCONT");
      expect(JSON.parse(await host.line())).toEqual({
        code: "timeout",
        phase: "renew",
        message: "The session was not renewed within 5000 ms, so its process was ended.",
      });
      expect(await host.exited).toBe(0);
      // With the watchdog and its sleep.
      await until(() => stillAlive(all).length === 0);
    });

    it("ends them if the host lives but does not renew", async () => {
      const host = startHost(path, "no");
      const cli = Number(await host.line());
      const tree = await until(() => toolTree(cli));
      expect(await host.line()).toBe("tool");
      expect(JSON.parse(await host.line())).toMatchObject({ code: "timeout", phase: "renew" });
      expect(stillAlive(tree)).toEqual([]);
      expect(await host.exited).toBe(0);
    });
  },
);

describe("session.renew()", () => {
  it("throws without renewWithinMs, and has no effect after the end", async () => {
    const { session } = await open();
    expect(() => session.renew()).toThrow("needs the option `renewWithinMs`");
    const { session: renewed } = await open([], { renewWithinMs: 5_000 });
    renewed.renew();
    await renewed.close();
    renewed.renew();
    await expect(renewed.idle()).resolves.toBeUndefined();
  });

  it("is not supported where the watchdog is off", async () => {
    vi.stubEnv("HAWSER_WATCHDOG", "off");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { cli } = await open();
    const opening = openSession({ cliPath: cli.path, renewWithinMs: 5_000 });
    await expect(opening).rejects.toMatchObject({ code: "not_supported" });
  });
});

describe("Deadline", () => {
  function deadline(limitMs: number) {
    vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
    });
    onTestFinished(() => void vi.useRealTimers());
    const owner = { tellWatchdog: vi.fn(), kill: vi.fn() };
    return { ...owner, deadline: new Deadline(limitMs, owner) };
  }

  it("renews itself until it is handed over", () => {
    const { deadline: made, kill, tellWatchdog } = deadline(1_000);
    vi.advanceTimersByTime(10_000);
    expect(kill).not.toHaveBeenCalled();
    expect(tellWatchdog.mock.calls.length).toBe(40);
    made.handOver();
    vi.advanceTimersByTime(999);
    expect(kill).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect([kill.mock.calls.length, made.hasPassed]).toEqual([1, true]);
  });

  it("stays passed, and tells the watchdog of no renewal that comes too late", () => {
    const { deadline: made, kill, tellWatchdog } = deadline(1_000);
    made.handOver();
    const told = tellWatchdog.mock.calls.length;
    // Frozen: no timer runs, but the clock goes on.
    const now = performance.now();
    vi.spyOn(performance, "now").mockReturnValue(now + 1_000);
    onTestFinished(() => void vi.restoreAllMocks());
    made.renew();
    expect([kill.mock.calls.length, tellWatchdog.mock.calls.length]).toEqual([1, told]);
    made.renew();
    expect(kill.mock.calls.length).toBe(1);
  });
});
