import { expect, it, onTestFinished } from "vitest";
import type { Logger } from "../../src/base/index.js";
import { processes } from "../../src/process/index.js";
import { fakeCli } from "../../src/testing/index.js";
import { SubprocessTransport } from "../../src/transport/index.js";

/** Calls `act` at the first warning, which is the last event before the process starts. */
function atFirstWarning(act: () => void): Logger {
  let told = false;
  const silent = () => {};
  const warn = () => {
    if (!told) act();
    told = true;
  };
  return { debug: silent, info: silent, warn, error: silent };
}

it.each(["close", "kill"] as const)(
  "SubprocessTransport.%s() leaves no process behind at any step of the start",
  async (end) => {
    const cli = await fakeCli({});
    onTestFinished(() => cli.dispose());
    for (let step = 0; step < 12; step++) {
      let ending: Promise<void> | undefined;
      const transport = new SubprocessTransport({
        cliPath: cli.path,
        // This hook causes a warning.
        hooks: { SessionStart: [{ hooks: [() => ({})] }] },
        logger: atFirstWarning(() => {
          let later = Promise.resolve();
          for (let i = 0; i < step; i++) later = later.then(() => {});
          void later.then(() => {
            ending = transport[end]();
          });
        }),
      });
      onTestFinished(() => transport.kill());
      await expect(transport.connect()).rejects.toMatchObject({ code: "closed" });
      await ending;
      await transport.exited;
      expect(processes().filter(({ cliPath }) => cliPath === cli.path)).toEqual([]);
    }
  },
);
