import { describe, expect, it } from "vitest";
import { hang, reply, toolUse } from "../../src/testing/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { open as openReal } from "../support/open-session.js";
import { open } from "./fake.helper.js";

describe("the signals of merged turns", () => {
  it("interrupt the CLI when all of them abort", async () => {
    const { session, model } = await openReal(NEWEST_CLI, [
      reply("one", { delayMs: 1000 }),
      hang("half of an ans"),
    ]);
    const first = session.send("first");
    await model.waitFor(({ kind }) => kind === "call");
    const controller = new AbortController();
    const { signal } = controller;
    const [second, third] = [session.send("2", { signal }), session.send("3", { signal })];
    await first.result;
    await model.waitFor(({ prompt }) => prompt.includes("3"));
    controller.abort("enough");
    for (const turn of [second, third]) {
      await expect(turn.result).rejects.toMatchObject({ code: "aborted", reason: "enough" });
    }
    await session.idle();
  });

  it("reject only their own turn when one of them aborts", async () => {
    const { session, model } = await openReal(NEWEST_CLI, [
      reply("one", { delayMs: 1000 }),
      reply("both", { delayMs: 1000 }),
    ]);
    const first = session.send("first");
    await model.waitFor(({ kind }) => kind === "call");
    const controller = new AbortController();
    const second = session.send("2", { signal: controller.signal });
    const third = session.send("3");
    await first.result;
    await model.waitFor(({ prompt }) => prompt.includes("3"));
    controller.abort();
    await expect(second.result).rejects.toMatchObject({ code: "aborted" });
    expect(await third.text()).toBe("both");
  });
});

describe("the signal of send()", () => {
  it("ends the turn together with the process if the CLI does not stop", async () => {
    const { session } = await open(
      [
        {
          on: "user",
          do: [
            { init: {} },
            { assistant: [{ type: "tool_use", id: "t1", name: "Bash", input: {} }] },
          ],
        },
        { on: "control", subtype: "interrupt", do: [{ respond: {} }] },
      ],
      { closeGraceMs: 200 },
    );
    const controller = new AbortController();
    const turn = session.send("1", { signal: controller.signal });
    for await (const message of turn) if (message.type === "assistant") break;
    controller.abort("enough");
    await expect(turn.result).rejects.toMatchObject({ code: "aborted", reason: "enough" });
    await expect(session.send("2").result).rejects.toMatchObject({ code: "aborted" });
  });
});

describe("Turn.interrupt() of a waiting prompt", () => {
  it("makes room for the next prompt on a CLI that takes one prompt at a time", async () => {
    const { session } = await open([
      { on: "user", do: [] },
      {
        on: "control",
        subtype: "cancel_async_message",
        do: [{ respond: { cancelled: true } }],
      },
    ]);
    const [first, second] = [session.send("first"), session.send("second")];
    await first.interrupt();
    await expect(first.result).rejects.toMatchObject({ code: "aborted" });
    expect((await second.result).subtype).toBe("success");
  });
});

describe.each(clisInTurn())(
  "a canUseTool callback that ignores its signal on $name",
  ({ path }) => {
    it("does not switch off idleMs for later turns", async () => {
      let ask = () => {};
      const asked = new Promise<void>((resolve) => {
        ask = resolve;
      });
      const { session } = await openReal(
        path,
        [toolUse("Bash", { command: "touch a", description: "d" }), hang("partial")],
        {
          timeouts: { idleMs: 1500 },
          canUseTool: () => {
            ask();
            return new Promise(() => {});
          },
        },
      );
      const first = session.send("first");
      await asked;
      await first.interrupt();
      await first.result;
      await expect(session.send("second").result).rejects.toMatchObject({
        code: "timeout",
        phase: "idle",
        partialText: "partial",
      });
    });
  },
);
