import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { complete } from "../../src/complete/index.js";
import type { HistoryMessage } from "../../src/wire/index.js";
import { onFake, promptsOf } from "../pool/on-fake.helper.js";
import { reusedFake } from "../support/reused-fake.js";

describe("complete() whose caller changes its blocks during the call", () => {
  it("sends the prompt of the call to a new process", async () => {
    const cli = await reusedFake();
    const block = { type: "text", text: "" } as const;
    const calls: Promise<unknown>[] = [];
    for (const text of ["one", "two", "three"]) {
      Object.assign(block, { text });
      calls.push(complete([block], { cliPath: cli.path }));
      await nextTurn();
    }
    await Promise.all(calls);
    expect((await promptsOf(cli)).sort()).toEqual(["one", "three", "two"]);
  });

  it("sends the prompt of the call to a process that a pool starts for it", async () => {
    const { pool, options, prompts } = await onFake({ size: { max: 1 } });
    const block = { type: "text", text: "first" } as const;
    const call = pool.complete([block], options);
    await nextTurn();
    Object.assign(block, { text: "second" });
    await call;
    expect(await prompts()).toEqual(["first"]);
  });

  it("sends the history of the call", async () => {
    const { pool, options, prompts } = await onFake({ size: { max: 1 } }, { version: "2.1.325" });
    const block = { type: "text", text: "earlier" } as const;
    const history: HistoryMessage[] = [
      { role: "user", content: [block] },
      { role: "assistant", content: "Yes." },
    ];
    const call = pool.complete("And now?", { ...options, history });
    await nextTurn();
    Object.assign(block, { text: "changed" });
    history.push({ role: "assistant", content: "No." });
    await call;
    expect(await prompts()).toEqual(["earlier", "And now?"]);
  });
});
