import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { Step } from "../../src/testing/index.js";
import { coreOnFake } from "./core.helper.js";
import { atRest, PATIENCE } from "./on-fake.helper.js";

const ONE = { size: { min: 0, max: 1 } };
const PING = "get_binary_version";
/** A reset ends with such a request too. */
const ofReset = ["/clear", PING];

/** Does not answer the request of the first check. The first such request comes from the reset. */
const FIRST_CHECK: Pick<Step, "on" | "subtype" | "process"> = {
  on: "control",
  subtype: PING,
  process: 1,
};
const ANSWERED: Step = { ...FIRST_CHECK, do: [{ default: true }] };

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe("Pool process that is idle", () => {
  it("is asked from time to time whether it answers, and not when a call comes", async () => {
    const { core, ask, received } = await coreOnFake(ONE, { trustedMs: 400 });
    await ask("first");
    await atRest(core);
    const rested = ["initialize", "first", ...ofReset];
    await vi.waitFor(async () => {
      expect((await received(1)).slice(0, 6)).toEqual([...rested, PING, PING]);
    }, PATIENCE);
    const before = (await received(1)).length;
    await ask("second");
    const after = (await received(1)).slice(before);
    // A check may have ended between the look and the call, but none comes between a check and its prompt.
    expect(after.filter((each) => each !== PING)[0]).toBe("second");
    expect(core.stats().calls.by).toMatchObject({ cold: 1, recycled: 1 });
  });

  it("is asked before the prompt if the program was too busy to ask it in time", async () => {
    const { core, ask, received } = await coreOnFake(ONE, { trustedMs: 1_000 });
    await ask("first");
    await atRest(core);
    const before = (await received(1)).length;
    block(1_100);
    await ask("second");
    expect((await received(1)).slice(before, before + 2)).toEqual([PING, "second"]);
  });

  it("does not get a call within the trusted time after its last answer without a request", async () => {
    const { core, ask, received } = await coreOnFake(ONE, {});
    await ask("first");
    await atRest(core);
    await sleep(50);
    await ask("second");
    expect((await received(1)).slice(0, 5)).toEqual(["initialize", "first", ...ofReset, "second"]);
  });

  it.each<[string, Step["do"], string]>([
    ["does not answer", [{ hang: true }], "unresponsive"],
    ["exits", [{ exit: 0 }], "exited"],
    [
      "sends something else",
      [{ emit: { type: "chatter" } }, { default: true }],
      "unexpected_output",
    ],
  ])("is discarded if it %s when it is asked", async (_, actions, reason) => {
    const { core, ask } = await coreOnFake(
      ONE,
      { trustedMs: 2_000 },
      { steps: [ANSWERED, { ...FIRST_CHECK, do: actions }] },
    );
    await ask("first");
    await vi.waitFor(() => {
      expect(core.stats().processes.discarded).toEqual({ [reason]: 1 });
    }, PATIENCE);
    expect((await ask("second")).text).toBe("ok");
    expect(core.stats().calls.by).toMatchObject({ cold: 2, recycled: 0 });
  });

  it("is replaced for a call that comes while it does not answer, and gets no prompt", async () => {
    const { core, ask, received } = await coreOnFake(
      { size: { min: 0, max: 2 } },
      { trustedMs: 2_000 },
      { steps: [ANSWERED, { ...FIRST_CHECK, do: [{ hang: true }] }] },
    );
    await ask("first");
    await vi.waitFor(async () => {
      expect((await received(1)).slice(4)).toEqual([PING]);
    }, PATIENCE);
    expect(core.stats().processes.discarded).toEqual({});
    expect((await ask("second")).text).toBe("ok");
    expect(await received(1)).not.toContain("second");
    expect(core.stats().processes.discarded).toEqual({ unresponsive: 1 });
  });

  it("is closed with the pool while it is being asked", async () => {
    const { core, ask, received } = await coreOnFake(
      ONE,
      { trustedMs: 2_000 },
      { steps: [ANSWERED, { ...FIRST_CHECK, do: [{ hang: true }] }] },
    );
    await ask("first");
    await vi.waitFor(async () => {
      expect((await received(1)).slice(4)).toEqual([PING]);
    }, PATIENCE);
    await core.close();
    expect(core.stats().processes).toMatchObject({ discarded: { pool_closed: 1 }, closing: 0 });
  });

  it("is not asked as a generic spare, because its next call asks it", async () => {
    const { core, ask, received } = await coreOnFake(
      { size: { min: 1, max: 2 }, isolation: "process" },
      { trustedMs: 300 },
    );
    await ask("first", { systemPrompt: "1" });
    await vi.waitFor(() => expect(core.stats().processes.generic).toBe(1), PATIENCE);
    await sleep(600);
    expect(await received(2)).toEqual([PING, "list_models"]);
  });
});
