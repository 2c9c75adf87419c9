import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Logger } from "../../src/base/index.js";
import { Watchdog } from "../../src/process/end/watchdog.js";
import type { CliProcess } from "../../src/process/index.js";
import { prepare, spawnCli } from "../../src/process/index.js";
import { fakeCli } from "../../src/testing/index.js";
import { everyProcess, type Seen, until } from "../support/proc.js";
import { recordingLogger } from "../support/recording-logger.js";

async function start(logger?: Logger): Promise<CliProcess> {
  const cli = await fakeCli();
  const process = await spawnCli(
    await prepare({ cliPath: cli.path, ...(logger === undefined ? {} : { logger }) }),
  );
  onTestFinished(async () => {
    await process.kill();
    await cli.dispose();
  });
  return process;
}

function watchdogs(): Seen[] {
  return everyProcess().filter(({ ppid, command }) => {
    return ppid === process.pid && command.includes("hawser-watchdog");
  });
}

const one = () => until(() => (watchdogs().length === 1 ? watchdogs()[0] : undefined));

describe.skipIf(process.platform !== "linux")("the watchdog", () => {
  it("is one process for all CLIs, and exits after the last", async () => {
    const first = await start();
    const dog = await one();
    const second = await start();
    await first.kill();
    expect(watchdogs()).toEqual([dog]);
    await second.kill();
    await until(() => watchdogs().length === 0);
    await start();
    expect((await one()).pid).not.toBe(dog.pid);
  });

  it("starts again whenever it is killed, and the logger is told", async () => {
    const { logger, entries } = recordingLogger();
    await start(logger);
    for (let times = 0; times < 8; times++) {
      const { pid } = await one();
      process.kill(pid, "SIGKILL");
      await until(() => watchdogs().every((each) => each.pid !== pid));
    }
    await one();
    const said = entries.filter(({ message }) => message.includes("again and again"));
    expect(said).toMatchObject([{ level: "warn", fields: { why: "it was ended: SIGKILL" } }]);
  });
});

/** The test moves this clock; microtasks still run by themselves. */
function stoppedClock(): void {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setImmediate", "clearImmediate", "performance"],
  });
  onTestFinished(() => void vi.useRealTimers());
}

/** A watchdog whose every start fails; the array has the time of each attempt. */
function failingWatchdog(): { watchdog: Watchdog; attempts: number[] } {
  const attempts: number[] = [];
  const watchdog = new Watchdog(async () => {
    attempts.push(performance.now());
    throw Object.assign(new Error("spawn EMFILE"), { code: "EMFILE" });
  });
  return { watchdog, attempts };
}

describe("Watchdog", () => {
  it("waits longer after each failed start, up to a second", async () => {
    stoppedClock();
    await vi.advanceTimersByTimeAsync(3_600_000);
    const { watchdog, attempts } = failingWatchdog();
    const watch = watchdog.watch(process.pid, undefined);
    const begun = performance.now();
    // Without a pause the clock would stand still, so the number of steps is bounded, not the time.
    for (let steps = 0; steps < 10; steps++) await vi.advanceTimersToNextTimerAsync();
    const after = attempts.slice(0, 10).map((at) => at - begun);
    expect(after).toEqual([0, 0, 0, 50, 150, 350, 750, 1550, 2550, 3550]);
    watch.end();
  });

  it("starts again for a process that is added while a start finds nothing to watch", async () => {
    stoppedClock();
    const { watchdog, attempts } = failingWatchdog();
    watchdog.watch(process.pid, undefined).end();
    // The start looks at the empty list; watch() runs before the start has returned.
    vi.advanceTimersToNextTimer();
    const watch = watchdog.watch(process.pid, undefined);
    await vi.advanceTimersByTimeAsync(10);
    expect(attempts).not.toEqual([]);
    watch.end();
  });
});
