import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { CHANNELS, publish } from "../../src/base/index.js";
import { complete } from "../../src/complete/index.js";
import { createPool } from "../../src/pool/index.js";
import { NEWEST_CLI } from "../support/cli.js";
import { world } from "../support/world.js";
import { atRest, onFake, until } from "./on-fake.helper.js";

interface Seen {
  readonly name: string;
  readonly event: Record<string, unknown>;
}

/** What is published about calls and processes until the test is over, in order. */
function watchAll(): Seen[] {
  const seen: Seen[] = [];
  for (const { name: channel } of Object.values(CHANNELS)) {
    if (!/^hawser:(call|process):/.test(String(channel))) continue;
    const listen = (event: unknown) => {
      const name = String(channel).replace("hawser:", "");
      seen.push({ name, event: event as Record<string, unknown> });
    };
    subscribe(channel, listen);
    onTestFinished(() => void unsubscribe(channel, listen));
  }
  return seen;
}

const anyNumber = expect.any(Number);

describe("diagnostics channels of a Pool", () => {
  it("publish each process and each call, from start to end", async () => {
    const { pool, options } = await onFake({ size: { min: 0, max: 1 }, maxJobs: 2 });
    const seen = watchAll();
    await pool.complete("one", { ...options, tenant: "t" });
    await atRest(pool);
    await pool.complete("two", options);
    await atRest(pool);
    const { pid, pool: number, worker } = seen[1]?.event ?? {};
    const who = { at: anyNumber, pool: number, worker, pid };
    expect([pid, number, worker]).toEqual([anyNumber, anyNumber, anyNumber]);
    const call = Number(seen[0]?.event["call"]);
    expect(seen.filter(({ name }) => name.startsWith("process:"))).toEqual([
      { name: "process:start", event: { ...who, jobs: 0 } },
      { name: "process:ready", event: { ...who, jobs: 1, ms: anyNumber } },
      {
        name: "process:assigned",
        event: { ...who, jobs: 1, how: "cold", call, session: anyNumber },
      },
      { name: "process:reset", event: { ...who, jobs: 1, ms: anyNumber } },
      {
        name: "process:assigned",
        event: { ...who, jobs: 2, how: "recycled", call: call + 1, session: anyNumber },
      },
      {
        name: "process:discarded",
        event: { ...who, jobs: 2, reason: "max_jobs" },
      },
    ]);
    const completion = expect.objectContaining({ text: "ok" });
    const ended = { outcome: "ok", costUsd: 0, ms: anyNumber, completion };
    const first = { at: anyNumber, call, caller: "complete()", tenant: "t" };
    const second = { at: anyNumber, call: call + 1, caller: "complete()", tenant: undefined };
    const asked = {
      model: undefined,
      agent: undefined,
      systemPrompt: undefined,
      output: "text",
    };
    expect(seen.filter(({ name }) => name.startsWith("call:"))).toEqual([
      { name: "call:start", event: { ...first, ...asked, prompt: "one" } },
      { name: "call:end", event: { ...first, ...ended } },
      { name: "call:start", event: { ...second, ...asked, prompt: "two" } },
      { name: "call:end", event: { ...second, ...ended } },
    ]);
    const order = seen.map(({ name }) => name);
    expect(order.slice(0, 4)).toEqual([
      "call:start",
      "process:start",
      "process:ready",
      "process:assigned",
    ]);
    expect(order.indexOf("call:end")).toBeLessThan(order.indexOf("process:reset"));
  });

  it("publish how a call failed", async () => {
    const { pool, options } = await onFake({ concurrency: 1, queueLimit: 0, size: { min: 0 } });
    const seen = watchAll();
    await expect(pool.complete("x", { ...options, maxTurns: 0 })).rejects.toBeDefined();
    const running = pool.stream("x", options);
    const refused = complete("y", { ...options, pool });
    await expect(refused).rejects.toMatchObject({ code: "pool_full" });
    await running.completion;
    const ends = seen.filter(({ name }) => name === "call:end").map(({ event }) => event);
    expect(ends).toEqual([
      expect.objectContaining({ outcome: "invalid_options", error: expect.any(Error) }),
      expect.objectContaining({ outcome: "pool_full", caller: "complete()" }),
      expect.objectContaining({ outcome: "ok", caller: "stream()" }),
    ]);
    expect(seen.filter(({ name }) => name === "call:start").length).toBe(3);
  });

  it("publish a spare as ready before a call has it", async () => {
    const seen = watchAll();
    const { pool, options } = await onFake((call) => ({
      isolation: "process",
      size: { max: 2 },
      warm: [call],
    }));
    await until(pool, ({ processes: { initialized } }) => initialized === 1);
    await pool.complete("x", options);
    await pool.close();
    const names = seen.filter(({ event }) => event["worker"] === 1).map(({ name }) => name);
    expect(names).toEqual([
      "process:start",
      "process:ready",
      "process:assigned",
      "process:discarded",
    ]);
    const assigned = seen.find(({ name }) => name === "process:assigned");
    expect(assigned?.event).toMatchObject({ how: "initialized", jobs: 1 });
    const reasons = seen
      .filter(({ name }) => name === "process:discarded")
      .map(({ event }) => event["reason"]);
    expect(reasons[0]).toBe("not_recyclable");
    expect(new Set(reasons.slice(1))).toEqual(new Set(reasons.length > 1 ? ["pool_closed"] : []));
  });

  it("publish start, reset and discard of a real CLI", async () => {
    const { options } = await world(NEWEST_CLI, ["One.", "Two."]);
    const seen = watchAll();
    {
      await using pool = createPool({ size: { max: 1 } });
      for (const prompt of ["a", "b"]) {
        await pool.complete(prompt, options);
        await atRest(pool);
      }
    }
    expect(seen.map(({ name }) => name)).toEqual([
      "call:start",
      "process:start",
      "process:ready",
      "process:assigned",
      "call:end",
      "process:reset",
      "call:start",
      "process:assigned",
      "call:end",
      "process:reset",
      "process:discarded",
    ]);
    expect(seen.at(-1)?.event).toMatchObject({ reason: "pool_closed", jobs: 2 });
  });
});

describe("diagnostics channels without subscribers", () => {
  it("publish nothing and create no event", async () => {
    const event = vi.fn(() => ({ at: 1, pool: 1, worker: 1, pid: 1 }));
    publish(CHANNELS.processStart, event);
    expect(event).not.toHaveBeenCalled();
    const published = Object.values(CHANNELS).map((channel) => vi.spyOn(channel, "publish"));
    const { pool, options } = await onFake({ size: { max: 1 } });
    await pool.complete("x", options);
    await atRest(pool);
    await pool.close();
    for (const spy of published) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });

  it("may gain and lose a subscriber during a call", async () => {
    const { pool, options } = await onFake({ size: { max: 1 } });
    const ends: unknown[] = [];
    const listen = (event: unknown) => void ends.push(event);
    const call = pool.complete("x", options);
    subscribe("hawser:process:reset", listen);
    await call;
    await atRest(pool);
    unsubscribe("hawser:process:reset", listen);
    await pool.complete("x", options);
    await atRest(pool);
    expect(ends.length).toBe(1);
  });
});
