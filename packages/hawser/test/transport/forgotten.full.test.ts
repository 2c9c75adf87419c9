import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fakeCli, type Scenario } from "../../src/testing/index.js";
import { BUILT } from "../support/built.js";
import { isAlive, treeOf, until } from "../support/proc.js";
import { DIST, printedPid, startUserProgram } from "../support/user-program.js";

const STAY = "setInterval(() => {}, 1000);";

/** By default a fake that ignores the end of its input, so that only a signal ends it. */
async function fake(steps: Scenario["steps"] = [{ on: "eof", times: "always", do: [] }]) {
  const cli = await fakeCli({ steps: steps ?? [] });
  onTestFinished(() => cli.dispose());
  return cli;
}

/** Runs a command as the first process of a namespace, as a container without an init does. */
const AS_FIRST = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"] as const;
const [UNSHARE, ...UNSHARE_FLAGS] = AS_FIRST;
const CAN_UNSHARE = spawnSync(UNSHARE, [...UNSHARE_FLAGS, "true"]).status === 0;

/** Starts a program that connects a transport and prints the pid of the CLI, and then runs `rest`. */
async function program(
  rest: string,
  cli: { path: string },
  flags: readonly string[] = [],
  before: readonly string[] = [],
) {
  const source = `
    import { SubprocessTransport } from ${JSON.stringify(DIST)};
    let line = new SubprocessTransport({ cliPath: process.argv[1] });
    await line.connect();
    console.log(line.pid);
    ${rest}`;
  const started = startUserProgram(source, cli.path, { flags, before });
  return { ...started, pid: await printedPid(started) };
}

describe.skipIf(process.platform !== "linux")("program that does not close its transport", () => {
  it("exits by itself, and its CLI ends with it", async () => {
    const { pid, closed } = await program("", await fake());
    expect(await closed).toEqual([0, null]);
    await until(() => !isAlive(pid));
  });

  it.each([
    ["process.exit()", "process.exit(3);", 3],
    ["an exception", 'throw new Error("crash");', 1],
  ])("ends by %s, and its CLI ends with it", async (_how, end, code) => {
    const { pid, closed } = await program(end, await fake());
    expect(await closed).toEqual([code, null]);
    await until(() => !isAlive(pid));
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "is ended by %s, and its CLI ends with it",
    async (signal) => {
      const { child, pid, closed } = await program(STAY, await fake());
      expect(isAlive(pid)).toBe(true);
      child.kill(signal);
      expect(await closed).toEqual([null, signal]);
      await until(() => !isAlive(pid));
    },
  );

  it("decides itself what a signal does when it has a handler", async () => {
    const own = `process.on("SIGTERM", async () => {
        console.log("mine");
        await line.close();
        process.exit(9);
      });`;
    const { child, pid, lines, closed } = await program(own + STAY, await fake());
    child.kill("SIGTERM");
    expect(await closed).toEqual([9, null]);
    expect(lines()[1]).toBe("mine");
    await until(() => !isAlive(pid));
  });

  it("may exit later when it has a handler by process.once()", async () => {
    const own = `process.once("SIGINT", async () => {
        await new Promise((done) => setTimeout(done, 300));
        console.log("graceful");
        process.exit(7);
      });`;
    const { child, pid, lines, closed } = await program(own + STAY, await fake());
    child.kill("SIGINT");
    expect(await closed).toEqual([7, null]);
    expect(lines()[1]).toBe("graceful");
    await until(() => !isAlive(pid));
  });

  it("is ended by a signal when it has two copies of this library", async () => {
    const copy = mkdtempSync(join(tmpdir(), "hawser-copy-"));
    onTestFinished(() => rmSync(copy, { recursive: true }));
    cpSync(BUILT, join(copy, "dist"), { recursive: true });
    writeFileSync(join(copy, "package.json"), '{"type":"module"}');
    const second = `
      const copy = await import(${JSON.stringify(join(copy, "dist/index.js"))});
      const other = new copy.SubprocessTransport({ cliPath: process.argv[1] });
      await other.connect();
      console.log(other.pid);`;
    const { child, pid, lines, closed } = await program(second + STAY, await fake());
    const otherPid = Number(await until(() => lines()[1]));
    child.kill("SIGTERM");
    expect(await closed).toEqual([null, "SIGTERM"]);
    await until(() => !isAlive(pid) && !isAlive(otherPid));
  });

  describe.skipIf(!CAN_UNSHARE)(
    "program that is process 1 (skipped where unshare is not allowed)",
    () => {
      const inside = async (rest: string) => {
        const { child, closed } = await program(rest, await fake(), [], AS_FIRST);
        const first = treeOf(child.pid as number)[1]?.pid ?? Number.NaN;
        return { closed, kill: (signal: NodeJS.Signals) => process.kill(first, signal) };
      };

      it.each([
        ["SIGTERM", 143],
        ["SIGINT", 130],
      ] as const)("is ended by %s, which the kernel would drop", async (signal, code) => {
        const { closed, kill } = await inside(STAY);
        kill(signal);
        expect(await closed).toEqual([code, null]);
      });

      it("decides itself what a signal does when it has a handler", async () => {
        const own = `process.on("SIGTERM", () => {
          setTimeout(() => process.exit(9), 100);
        });`;
        const { closed, kill } = await inside(own + STAY);
        kill("SIGTERM");
        expect(await closed).toEqual([9, null]);
      });
    },
  );

  it("is kept alive by `await transport.exited`", async () => {
    const cli = await fake([{ on: "eof", do: [{ sleep: 300 }, { exit: 0 }] }]);
    const wait = "await line.endInput(); console.log((await line.exited).code);";
    const { lines, closed } = await program(wait, cli);
    expect(await closed).toEqual([0, null]);
    expect(lines()[1]).toBe("0");
  });

  it("loses the CLI of a transport that is garbage-collected, and lives on", async () => {
    const drop = "line = undefined; setInterval(() => gc(), 20);";
    const { child, pid } = await program(drop, await fake(), ["--expose-gc"]);
    await until(() => !isAlive(pid));
    expect(child.exitCode).toBeNull();
  });

  it("keeps the CLI of a transport whose reader still waits", async () => {
    const cli = await fake([{ on: "start", do: [{ sleep: 1500 }, { emit: { type: "late" } }] }]);
    const read = `
      const frames = line.messages();
      line = undefined;
      setInterval(() => gc(), 20).unref();
      for await (const frame of frames) { console.log(frame.message.type); break; }`;
    const { lines, closed } = await program(read, cli, ["--expose-gc"]);
    expect(await closed).toEqual([0, null]);
    expect(lines()[1]).toBe("late");
  });
});
