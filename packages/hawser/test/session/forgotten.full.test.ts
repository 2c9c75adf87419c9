import { describe, expect, it } from "vitest";
import type { Step } from "../../src/testing/index.js";
import { isAlive, until } from "../support/proc.js";
import { DIST, printedPid, startUserProgram } from "../support/user-program.js";
import { fake, lifecycle } from "./fake.helper.js";

/** Ignores the end of its input, so that only a signal ends it. */
const STUBBORN: Step = { on: "eof", times: "always", do: [] };
const UUID = "11111111-0000-4000-8000-000000000000";

/** Starts a user's program that opens a session and prints its pid; `rest` is what it does then. */
async function program(
  rest: string,
  steps: readonly Step[] = [STUBBORN],
  flags: readonly string[] = [],
) {
  const cli = await fake(steps);
  const source = `
    import { openSession } from ${JSON.stringify(DIST)};
    const cliPath = process.argv[1];
    let session = await openSession({ cliPath });
    console.log(session.pid);
    ${rest}`;
  const started = startUserProgram(source, cli.path, { flags });
  return { ...started, pid: await printedPid(started) };
}

describe.skipIf(process.platform !== "linux")("a program that does not close its session", () => {
  it("exits and ends its CLI", async () => {
    const { pid, closed } = await program("");
    expect(await closed).toEqual([0, null]);
    await until(() => !isAlive(pid));
  });

  it("exits after its last turn, also if a reader has left an iteration", async () => {
    const { pid, closed, lines } = await program(`
      for await (const message of session.send("go")) { console.log(message.type); break; }
      console.log(await session.send("more").text());`);
    expect(await closed).toEqual([0, null]);
    expect(lines().slice(1)).toEqual(["system", "ok"]);
    await until(() => !isAlive(pid));
  });

  const SLOW_TURN: Step = {
    on: "user",
    do: [{ init: {} }, { sleep: 700 }, { assistant: "late" }, { result: { result: "late" } }],
  };

  const SLOW_REST: Step = {
    on: "control",
    do: [
      { emit: { type: "system", subtype: "session_state_changed", state: "running" } },
      { respond: {} },
      { sleep: 1_000 },
      { emit: { type: "system", subtype: "session_state_changed", state: "idle" } },
    ],
  };

  it.each<[string, string, Step, string]>([
    ["a turn", 'console.log(await session.send("go").text());', SLOW_TURN, "late"],
    [
      "the text of a turn",
      'for await (const text of session.send("go").textStream) console.log(text);',
      SLOW_TURN,
      "late",
    ],
    [
      "a request",
      'console.log((await session.request("x")).late);',
      { on: "control", do: [{ sleep: 700 }, { respond: { late: "late" } }] },
      "late",
    ],
    [
      "a message",
      "for await (const { type } of session) { console.log(type); break; }",
      { on: "control", do: [{ respond: {} }, { sleep: 700 }, { emit: { type: "late" } }] },
      "late",
    ],
    ["idle()", 'await session.idle(); console.log("late");', SLOW_REST, "late"],
  ])("does not exit while it waits for %s", async (what, wait, step, line) => {
    const begin = ["a message", "idle()"].includes(what) ? 'await session.request("begin");' : "";
    // The waiting code does not keep a reference to the session.
    const forget = `const own = session; session = undefined; setInterval(() => gc(), 20).unref();`;
    const rest = `${begin} ${forget} await (async (session) => { ${wait} })(own);`;
    const { closed, lines } = await program(rest, [step, STUBBORN], ["--expose-gc"]);
    expect(await closed).toEqual([0, null]);
    expect(lines().slice(1)).toEqual([line]);
  });

  it("does not exit while a reader waits, also after another reader has left", async () => {
    const { closed, lines } = await program(
      `for await (const message of session.send("go", { uuid: "${UUID}" })) break;
       await session.idle();
       session.request("begin");
       for await (const { type } of session) { if (type === "late") { console.log(type); break; } }`,
      [
        {
          on: "control",
          subtype: "begin",
          do: [{ respond: {} }, { sleep: 700 }, { emit: { type: "late" } }],
        },
        {
          on: "user",
          do: [lifecycle(UUID, "started"), { turn: "ok" }, lifecycle(UUID, "completed")],
        },
        STUBBORN,
      ],
    );
    expect(await closed).toEqual([0, null]);
    expect(lines().slice(1)).toEqual(["late"]);
  });

  it("loses the CLI of a session that was garbage-collected", async () => {
    const drop = `await session.send("go").text(); session = undefined; setInterval(() => gc(), 20);`;
    const { child, pid } = await program(drop, [STUBBORN], ["--expose-gc"]);
    await until(() => !isAlive(pid));
    expect(child.exitCode).toBeNull();
  });

  it.each([
    ["a turn", 'wait = session.send("go").result;', SLOW_TURN],
    ["idle()", 'await session.request("begin"); wait = session.idle();', SLOW_REST],
    [
      "a request",
      'wait = session.request("x");',
      { on: "control", do: [{ sleep: 700 }, { respond: {} }] } as Step,
    ],
  ])("keeps the CLI of a session of which only %s is awaited", async (_, wait, step) => {
    const rest = `let wait; ${wait} session = undefined;
      setInterval(() => gc(), 20).unref();
      const from = performance.now();
      await wait; console.log(performance.now() - from > 500 ? "fine" : "too early");`;
    const { closed, lines, stderr } = await program(rest, [step, STUBBORN], ["--expose-gc"]);
    expect([await closed, stderr()]).toEqual([[0, null], ""]);
    expect(lines().slice(1)).toEqual(["fine"]);
  });

  it("gets no unhandled rejection for promises that it does not await", async () => {
    const rest = `
      const open = (more) => openSession({ cliPath, closeGraceMs: 50, ...more });
      const turn = session.send("left early");
      for await (const message of turn) break;
      try { for await (const message of turn) break; } catch {}
      session.send("left alone");
      session.send("and this").textStream[Symbol.asyncIterator]().next().catch(() => {});
      const reader = session[Symbol.asyncIterator]();
      try { session[Symbol.asyncIterator](); } catch {}
      session.close();
      session.send("too late");
      session.close();
      session.kill();
      await session.close();
      session.send("far too late");
      const aborted = new AbortController();
      const other = await open({ signal: aborted.signal });
      other.send("x");
      other.send("y", { signal: AbortSignal.abort() });
      aborted.abort();
      other.send("z");
      await other.close();
      const dead = await open();
      dead.send("x");
      process.kill(dead.pid, "SIGKILL");
      await dead.send("y").result.catch(() => {});
      dead.send("z");
      const stuck = await open({ timeouts: { firstMessageMs: 1 } });
      stuck.send("x");
      await stuck.send("y").result.catch(() => {});
      const logger = { debug() {}, info() {}, warn() {}, error() {} };
      const thrown = await open({ logger, canUseTool: () => { throw Object.create(null); } });
      thrown.send("x");
      for await (const message of thrown) if (message.type === "heard") break;
      await thrown.close();
      console.log("done");`;
    const asks = { subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: "t" };
    const steps: Step[] = [
      { on: "response", times: "always", do: [{ emit: { type: "heard" } }] },
      {
        on: "user",
        times: "always",
        do: [{ init: {} }, { emit: { type: "control_request", request_id: "p", request: asks } }],
      },
    ];
    const { closed, lines, stderr } = await program(rest, steps);
    expect([await closed, stderr()]).toEqual([[0, null], ""]);
    expect(lines().at(-1)).toBe("done");
  });
});
