import { expect, it, onTestFinished } from "vitest";
import { complete, openSession } from "../../src/index.js";
import { type Action, fakeCli } from "../../src/testing/index.js";
import { FULL } from "../support/cli.js";
import { recordingLogger } from "../support/recording-logger.js";

const MB = 1_000_000;

async function cliPath(...actions: Action[]): Promise<string> {
  const cli = await fakeCli({ states: true, steps: [{ on: "user", do: actions }] });
  onTestFinished(() => cli.dispose());
  return cli.path;
}

// transport/death.test.ts has this with a shorter limit.
it.runIf(FULL)(
  "openSession() loses only the message of a line of 100 MB, and continues",
  {
    timeout: 120_000,
  },
  async () => {
    const { logger, entries } = recordingLogger();
    const path = await cliPath(
      { init: {} },
      { longLine: 100 * MB },
      { assistant: "after" },
      { result: { result: "after" } },
    );
    await using session = await openSession({ cliPath: path, logger });
    const turn = session.send("go");
    const seen: unknown[] = [];
    for await (const { type } of turn) if (type !== "command_lifecycle") seen.push(type);
    expect(seen).toEqual(["system", "assistant", "result"]);
    expect(entries.filter(({ level }) => level === "warn")).toMatchObject([
      {
        message: "corrupt",
        fields: { line: expect.stringMatching(/^\[a line of 1000\d+ bytes\]$/) },
      },
    ]);
    expect(await session.send("next").text()).toBe("ok");
  },
);

it("complete() does not deadlock with a CLI that writes 256 KiB before it reads", {
  timeout: 60_000,
}, async () => {
  const burst = { type: "burst", filler: "x".repeat(1024) };
  const cli = await fakeCli({ steps: [{ on: "start", do: [{ emit: burst, times: 256 }] }] });
  onTestFinished(() => cli.dispose());
  const prompt = "x".repeat(4 * MB);
  expect((await complete(prompt, { cliPath: cli.path })).text).toBe("ok");
});

it("openSession() delivers 10,000 lines in order", { timeout: 60_000 }, async () => {
  const path = await cliPath({
    turn: [{ emit: { type: "line" }, times: 10_000 }, "so"],
  });
  await using session = await openSession({ cliPath: path });
  const seen: unknown[] = [];
  const turn = session.send("go");
  for await (const { type } of turn) if (type !== "command_lifecycle") seen.push(type);
  const lines = new Array(10_000).fill("line");
  expect(seen).toEqual(["system", ...lines, "assistant", "result"]);
});
