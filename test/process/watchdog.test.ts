import { describe, expect, it, onTestFinished } from "vitest";
import type { Logger } from "../../src/errors/index.js";
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
  it("is one for all, and goes after the last", async () => {
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

  it("comes back however often it is ended, and the logger is told", async () => {
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
