import { describe, expect, it, onTestFinished } from "vitest";
import { fakeCli, type Step } from "../../src/testing/index.js";
import { everyProcess, until } from "../support/proc.js";
import { DIST, startUserProgram } from "../support/user-program.js";

/** Ignores the end of its input, so that only a signal ends it. */
const STUBBORN: Step = { on: "eof", times: "always", do: [] };

/** Runs a program that has a pool. */
async function program(source: string, steps: readonly Step[] = [STUBBORN], flags: string[] = []) {
  const cli = await fakeCli({ steps });
  onTestFinished(() => cli.dispose());
  const code = `
    import { createPool, processes } from ${JSON.stringify(DIST)};
    const call = { cliPath: process.argv[1] };
    const warm = (pool) => new Promise((resolve) => {
      const look = setInterval(() => {
        const { generic, initialized, recycled } = pool.stats().processes;
        if (generic + initialized + recycled > 1) resolve(clearInterval(look));
      }, 5);
    });
    ${source}`;
  const started = startUserProgram(code, cli.path, { flags });
  const ofCli = () => everyProcess().filter(({ command }) => command.includes(cli.path));
  /** The processes of the pool. The program itself has the path in its arguments, too. */
  const pids = () => ofCli().filter(({ pid }) => pid !== started.child.pid);
  return { ...started, pids };
}

describe.skipIf(process.platform !== "linux")("program that does not close its pool", () => {
  it("exits by itself, and all processes end with it", async () => {
    const { closed, lines, stderr, pids } = await program(`
      const pool = createPool({ size: { min: 2 } });
      console.log((await pool.complete("x", call)).text);
      await warm(pool);
      console.log(processes().length > 1);`);
    expect([await closed, stderr()]).toEqual([[0, null], ""]);
    expect(lines()).toEqual(["ok", "true"]);
    await until(() => pids().length === 0);
  });

  it("is kept alive by ready(), and by no process of the pool afterwards", async () => {
    const { closed, lines, stderr, pids } = await program(
      `const pool = createPool({ warm: [call] });
       await pool.ready();
       console.log(pool.stats().processes.initialized);`,
      [STUBBORN, { on: "start", do: [{ sleep: 300 }] }],
    );
    expect([await closed, stderr()]).toEqual([[0, null], ""]);
    expect(lines()).toEqual(["1"]);
    await until(() => pids().length === 0);
  });

  it("exits while spares start", async () => {
    const slow: Step = { on: "start", process: 2, do: [{ sleep: 300 }] };
    const { closed, lines, pids, stderr } = await program(
      `const pool = createPool({ isolation: "process" });
       await pool.complete("x", call);
       while (pool.stats().processes.starting === 0) await new Promise(setImmediate);
       console.log(pool.stats().processes.starting);`,
      [slow, STUBBORN],
    );
    expect([await closed, stderr()]).toEqual([[0, null], ""]);
    expect(lines()).toEqual(["1"]);
    await until(() => pids().length === 0);
  });

  it("lives until running and waiting calls end, though it holds no reference to the pool", async () => {
    const slow: Step = {
      on: "user",
      times: "always",
      do: [{ init: {} }, { sleep: 300 }, { assistant: "late" }, { result: { result: "late" } }],
    };
    const { closed, lines, stderr } = await program(
      `setInterval(() => gc(), 20).unref();
       const calls = (() => {
         const pool = createPool({ concurrency: 1 });
         return [1, 2, 3].map(() => pool.complete("x", call));
       })();
       for (const { text } of await Promise.all(calls)) console.log(text);`,
      [slow, STUBBORN],
      ["--expose-gc"],
    );
    expect([await closed, stderr()]).toEqual([[0, null], ""]);
    expect(lines()).toEqual(["late", "late", "late"]);
  });

  it("loses the processes when the pool is garbage-collected", async () => {
    const { child, lines, pids } = await program(
      `setInterval(() => gc(), 20);
       await (async () => {
         const pool = createPool({ size: { min: 2 }, warm: [{ ...call, systemPrompt: "w" }] });
         await pool.complete("x", call);
         await warm(pool);
       })();
       console.log("forgotten");`,
      [STUBBORN],
      ["--expose-gc"],
    );
    await until(() => lines()[0] === "forgotten");
    await until(() => pids().length === 0);
    expect(child.exitCode).toBeNull();
  });

  it("does not keep the logger and the callbacks of a call alive, though it remembers the options", async () => {
    const { closed, lines, stderr } = await program(
      `setInterval(() => gc(), 20).unref();
       const pool = createPool();
       const gone = [];
       const registry = new FinalizationRegistry((name) => gone.push(name));
       await (async () => {
         const log = () => {};
         const logger = { debug: log, info: log, warn: log, error: log };
         const lines = [];
         const stderr = (line) => lines.push(line);
         const { signal } = new AbortController();
         for (const [name, it] of Object.entries({ logger, stderr, signal })) registry.register(it, name);
         for (const n of [1, 2]) await pool.complete("x", { ...call, logger, stderr, signal });
       })();
       while (gone.length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
       console.log(gone.sort().join());
       await pool.close();`,
      [STUBBORN],
      ["--expose-gc"],
    );
    expect([await closed, stderr()]).toEqual([[0, null], ""]);
    expect(lines()).toEqual(["logger,signal,stderr"]);
  });

  it("regains the slot of a pooled session that is garbage-collected", async () => {
    const { closed, lines, stderr } = await program(
      `setInterval(() => gc(), 20).unref();
       const pool = createPool({ concurrency: 1, size: { min: 0, max: 1 } });
       await (async () => {
         const session = await pool.openSession(call);
         console.log(await session.send("x").text(), pool.stats().calls.running);
       })();
       console.log((await pool.complete("y", call)).text);
       console.log(JSON.stringify(pool.stats().processes.discarded));
       await pool.close();
       console.log(processes().length);`,
      [STUBBORN],
      ["--expose-gc"],
    );
    expect([await closed, stderr()]).toEqual([[0, null], ""]);
    expect(lines().slice(0, 2)).toEqual(["ok 1", "ok"]);
    expect(lines()[2]).toMatch(/^\{"session_forgotten":1|"not_recyclable":1/);
    expect(lines()[3]).toBe("0");
  });

  it("can close the pool by Symbol.asyncDispose", async () => {
    const { closed, lines, stderr } = await program(`
      {
        const pool = createPool({ size: { min: 2 } });
        await pool.complete("x", call);
        await warm(pool);
        await pool[Symbol.asyncDispose]();
        await pool.complete("y", call).catch(({ code }) => console.log(code));
      }
      console.log(processes().length);`);
    expect([await closed, stderr()]).toEqual([[0, null], ""]);
    expect(lines()).toEqual(["pool_closed", "0"]);
  });
});
