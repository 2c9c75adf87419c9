import { getEventListeners } from "node:events";
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openSession } from "../../src/session/index.js";
import { FULL } from "../support/cli.js";
import { until } from "../support/proc.js";
import { fake, open, received, start } from "./fake.helper.js";

const HANGS = { on: "user", do: [{ init: {} }, { assistant: "half" }, { hang: true }] } as const;
const NO_EOF = { on: "eof", times: "always", do: [] } as const;
const QUICK = { closeGraceMs: 50 };
const CONSUMED = expect.objectContaining({ code: "already_consumed" });

function isAlive(pid: number | undefined): boolean {
  try {
    return process.kill(pid ?? Number.NaN, 0);
  } catch {
    return false;
  }
}

async function typesOf(messages: AsyncIterable<{ readonly type?: unknown }>): Promise<unknown[]> {
  const types: unknown[] = [];
  for await (const { type } of messages) types.push(type);
  return types;
}

describe("Session.close()", () => {
  it("interrupts a running turn, rejects its readers with closed, and ends the process", async () => {
    const { session, cli } = await open([HANGS, NO_EOF], QUICK);
    const { pid } = session;
    const turn = session.send("go");
    const messages = turn[Symbol.asyncIterator]();
    await messages.next();
    const everything = typesOf(session);
    const texts = typesOf({
      [Symbol.asyncIterator]: () => turn.textStream[Symbol.asyncIterator]() as never,
    });
    await session.close();
    expect(isAlive(pid)).toBe(false);
    await expect(turn.result).rejects.toMatchObject({ code: "closed", sessionId: session.id });
    await expect(turn.text()).rejects.toMatchObject({ code: "closed" });
    await expect(turn.messages()).rejects.toMatchObject({ code: "closed" });
    await expect(texts).rejects.toMatchObject({ code: "closed" });
    await expect(typesOf({ [Symbol.asyncIterator]: () => messages })).rejects.toMatchObject({
      code: "closed",
    });
    await everything;
    const process = await received(cli);
    expect(process?.lines.map((line) => JSON.parse(line)).at(-1)).toMatchObject({
      type: "control_request",
      request: { subtype: "interrupt", cancel_queued: true },
    });
  });

  it("does not interrupt between turns, ends the iteration, and resolves idle()", async () => {
    const { session, cli } = await open();
    const everything = typesOf(session);
    expect(await session.send("go").text()).toBe("ok");
    const idle = session.idle();
    await session.close();
    expect(await everything).toEqual(["system", "assistant", "result"]);
    await idle;
    await session.idle();
    const process = await received(cli);
    expect(process?.lines.filter((line) => line.includes("interrupt"))).toEqual([]);
    expect(process?.eof).toBe(true);
  });

  it("is idempotent, also concurrently and with kill()", async () => {
    const { session } = await open([NO_EOF], QUICK);
    const { pid } = session;
    await Promise.all([session.close(), session.close(), session.kill()]);
    await session.close();
    await session.kill();
    expect(isAlive(pid)).toBe(false);
  });

  it("makes later prompts and requests reject with closed", async () => {
    const { session } = await open();
    await session.close();
    const turn = session.send("too late");
    await expect(turn.result).rejects.toMatchObject({ code: "closed" });
    await expect(typesOf(turn)).rejects.toMatchObject({ code: "closed" });
    await expect(session.setModel("x")).rejects.toMatchObject({ code: "closed" });
    await expect(session.interrupt()).rejects.toMatchObject({ code: "closed" });
    expect(await typesOf(session)).toEqual([]);
  });

  it("rejects a start that is in progress with closed", async () => {
    const { session } = await start([{ on: "initialize", do: [] }], QUICK);
    const ready = session.initializationResult();
    const turn = session.send("go");
    await until(() => session.pid);
    await session.close();
    await expect(ready).rejects.toMatchObject({ code: "closed" });
    await expect(turn.result).rejects.toMatchObject({ code: "closed" });
  });

  it("rejects waiting prompts with closed", async () => {
    const { session } = await open([HANGS], QUICK);
    const turns = ["a", "b", "c"].map((prompt) => session.send(prompt));
    await session.close();
    const outcomes = await Promise.allSettled(turns.map(({ result }) => result));
    expect(outcomes).toMatchObject(turns.map(() => ({ reason: { code: "closed" } })));
  });

  it("is called at the end of an `await using` block", async () => {
    const cli = await fake();
    let pid: number | undefined;
    {
      await using session = await openSession({ cliPath: cli.path });
      pid = session.pid;
      expect(await session.send("go").text()).toBe("ok");
    }
    expect([pid === undefined, isAlive(pid)]).toEqual([false, false]);
  });

  it("is not needed after kill(), which ends a stubborn process at once", async () => {
    const { session } = await open([HANGS, NO_EOF, { on: "SIGTERM", times: "always", do: [] }]);
    const { pid } = session;
    const turn = session.send("go");
    await turn[Symbol.asyncIterator]().next();
    await session.kill();
    expect(isAlive(pid)).toBe(false);
    await expect(turn.result).rejects.toMatchObject({ code: "closed" });
  });
});

describe("the signal of openSession()", () => {
  it("rejects the turn, the iteration and idle() with its reason when it aborts during a turn", async () => {
    const controller = new AbortController();
    const { session } = await open([HANGS], { ...QUICK, signal: controller.signal });
    const { pid } = session;
    const turn = session.send("go");
    const everything = typesOf(session);
    const idle = session.idle();
    for (const each of [everything, idle]) each.catch(() => {});
    const messages = turn[Symbol.asyncIterator]();
    await messages.next();
    await messages.next();
    controller.abort("out of patience");
    const aborted = { code: "aborted", reason: "out of patience" };
    await expect(turn.result).rejects.toMatchObject({ ...aborted, partialText: "half" });
    await expect(everything).rejects.toMatchObject(aborted);
    await expect(idle).rejects.toMatchObject(aborted);
    await session.close();
    expect(isAlive(pid)).toBe(false);
    await expect(session.send("more").result).rejects.toMatchObject(aborted);
    await expect(session.idle()).rejects.toMatchObject(aborted);
  });

  it("rejects the start with its reason when it aborts before or during the start", async () => {
    const steps = [{ on: "initialize", do: [] }] as const;
    const before = await start(steps, { signal: AbortSignal.abort("never") });
    await expect(before.session.initializationResult()).rejects.toMatchObject({
      code: "aborted",
      reason: "never",
    });
    const controller = new AbortController();
    const during = await start(steps, { ...QUICK, abortController: controller });
    const ready = during.session.initializationResult();
    await until(() => during.session.pid);
    controller.abort("changed my mind");
    await expect(ready).rejects.toMatchObject({ code: "aborted", reason: "changed my mind" });
  });
});

describe("a second iteration", () => {
  it("throws already_consumed for a session, a turn and a textStream", async () => {
    const { session } = await open();
    const turn = session.send("go");
    session[Symbol.asyncIterator]();
    turn[Symbol.asyncIterator]();
    turn.textStream[Symbol.asyncIterator]();
    expect(() => session[Symbol.asyncIterator]()).toThrow(CONSUMED);
    expect(() => turn[Symbol.asyncIterator]()).toThrow(CONSUMED);
    expect(() => turn.textStream[Symbol.asyncIterator]()).toThrow(CONSUMED);
    expect(await turn.text()).toBe("ok");
  });
});

describe("openSession() with a CLI that does not start", () => {
  it("rejects with timeout after bootMs and kills the process", async () => {
    const cli = await fake([{ on: "initialize", do: [] }, NO_EOF]);
    // Long enough for the fake to have started.
    const opening = openSession({ cliPath: cli.path, timeouts: { bootMs: 4_000 } });
    await expect(opening).rejects.toMatchObject({
      code: "timeout",
      phase: "boot",
      cliPath: cli.path,
    });
    const process = await received(cli);
    expect(isAlive(process?.pid)).toBe(false);
  });

  it.each([
    ["an exit", [{ stderr: "no luck\n" }, { exit: 4 }], { code: "process_exited", exitCode: 4 }],
    ["an exit with code 0", [{ exit: 0 }], { code: "process_exited", exitCode: 0 }],
    ["garbage and an exit", [{ write: "garbage\n{nonsense\n" }, { exit: 1 }], { exitCode: 1 }],
    ["a death", [{ die: "SIGKILL" }], { code: "process_exited", signal: "SIGKILL" }],
    ["a refusal", [{ respondError: "not today" }], { code: "control_error" }],
    [
      "a failure that the CLI reports in a result",
      [
        {
          result: {
            is_error: true,
            subtype: "error_during_execution",
            errors: ["No conversation found"],
          },
        },
        { exit: 1 },
      ],
      { code: "session_not_found" },
    ],
  ] as const)("rejects with the cause of %s, and leaves no process", async (_, actions, error) => {
    const cli = await fake([{ on: "initialize", do: [...actions] }]);
    await expect(openSession({ cliPath: cli.path })).rejects.toMatchObject({
      cliPath: cli.path,
      ...error,
    });
    const process = await received(cli);
    expect(isAlive(process?.pid)).toBe(false);
  });

  it("rejects prompts that were sent during the start with the same error", async () => {
    const { session } = await start([{ on: "initialize", do: [{ exit: 4 }] }]);
    const turn = session.send("go");
    await expect(turn.result).rejects.toMatchObject({ code: "process_exited", exitCode: 4 });
    await expect(session.idle()).rejects.toMatchObject({ code: "process_exited" });
  });
});

describe.skipIf(process.platform !== "linux")("Session.close() of many sessions", () => {
  it("leaves no descriptor, no listener and no process behind", async () => {
    const cli = await fake();
    const controller = new AbortController();
    const use = async () => {
      await using session = await openSession({ cliPath: cli.path, signal: controller.signal });
      const messages = typesOf(session);
      const turn = session.send("go", { signal: controller.signal });
      for await (const message of turn) if (message.type === "assistant") break;
      await session.setModel("x");
      await session.close();
      await messages;
      return session.pid;
    };
    const held = () => ({
      descriptors: readdirSync("/proc/self/fd").length,
      onProcess: process.eventNames().map((name) => process.listenerCount(name)),
      onSignal: getEventListeners(controller.signal, "abort").length,
    });
    await use();
    const before = held();
    const pids: (number | undefined)[] = [];
    for (let i = 0; i < (FULL ? 10 : 2); i++) {
      pids.push(...(await Promise.all(Array.from({ length: 5 }, use))));
    }
    await until(() => held().descriptors <= before.descriptors);
    expect(held()).toEqual(before);
    expect(pids.filter(isAlive)).toEqual([]);
  });
});
