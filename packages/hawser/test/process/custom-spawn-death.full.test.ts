import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Options, SpawnedProcess, SpawnRequest } from "../../src/options/index.js";
import { processes } from "../../src/process/index.js";
import { fakeCli } from "../../src/testing/index.js";
import { SubprocessTransport } from "../../src/transport/index.js";
import { BUILT_ROOT } from "../support/built.js";
import { stillAlive, treeOf, until } from "../support/proc.js";
import { recordingLogger } from "../support/recording-logger.js";
import { Puppet } from "./custom-process.helper.js";

const ELSEWHERE = { cliPath: "/nowhere/claude", closeGraceMs: 50 } as const;
const MESSAGE = { type: "system", subtype: "puppet" } as const;

async function open(options: Options): Promise<SubprocessTransport> {
  const transport = new SubprocessTransport({ ...ELSEWHERE, ...options });
  onTestFinished(() => transport.kill());
  await transport.connect();
  return transport;
}

async function readAll(transport: SubprocessTransport): Promise<void> {
  for await (const _ of transport.messages());
}

/** The promise's own error, so that whole facts can be looked at. */
async function errorOf(work: Promise<unknown>): Promise<Record<string, unknown>> {
  return work.then(
    () => expect.fail("it did not fail"),
    (error: Record<string, unknown>) => error,
  );
}

describe("a process of spawnClaudeCodeProcess", () => {
  it("that ignores everything is abandoned after SIGKILL, and the logger is told", async () => {
    const puppet = new Puppet();
    const { logger, entries } = recordingLogger();
    const transport = await open({ spawnClaudeCodeProcess: puppet.spawn, logger });
    expect(transport.pid).toBeUndefined();
    expect(processes()).toEqual([
      { pid: undefined, cliPath: "/nowhere/claude", startedAt: expect.any(Date) },
    ]);
    await transport.close();
    expect(puppet.heard).toEqual(["spawn", "end of input", "SIGTERM", "SIGKILL", "abort"]);
    expect(await transport.exited).toEqual({ code: null, signal: null, stderrTail: "" });
    expect(processes()).toEqual([]);
    expect(entries.filter(({ level }) => level === "error")).toEqual([
      { level: "error", message: "the process outlived SIGKILL", fields: { pid: undefined } },
    ]);
  });

  it("that exits at the end of its input gets no signal", async () => {
    const puppet = new Puppet();
    const transport = await open({ spawnClaudeCodeProcess: puppet.spawn, closeGraceMs: 20_000 });
    puppet.stdin.once("finish", () => {
      puppet.exit(0);
      puppet.stdout.end();
    });
    await transport.close();
    expect(puppet.heard).toEqual(["spawn", "end of input"]);
    expect(await transport.exited).toEqual({ code: 0, signal: null, stderrTail: "" });
  });

  it("is killed at once by kill(), by signal and by abort", async () => {
    const puppet = new Puppet();
    const transport = await open({ spawnClaudeCodeProcess: puppet.spawn });
    const killed = transport.kill();
    await until(() => puppet.heard.includes("abort"));
    puppet.exit(null, "SIGKILL");
    puppet.stdout.end();
    await killed;
    expect(puppet.heard.slice(0, 3)).toEqual(["spawn", "SIGKILL", "abort"]);
    expect(await transport.exited).toEqual({ code: null, signal: "SIGKILL", stderrTail: "" });
  });

  it("whose kill() throws is abandoned, and the logger is told", async () => {
    const puppet = new Puppet();
    puppet.kill = () => {
      throw new Error("no such container");
    };
    const { logger, entries } = recordingLogger();
    const transport = await open({ spawnClaudeCodeProcess: puppet.spawn, logger });
    await transport.kill();
    expect(puppet.heard.slice(0, 2)).toEqual(["spawn", "abort"]);
    expect(entries.map(({ message }) => message)).toContain(
      "the process of spawnClaudeCodeProcess cannot be signalled",
    );
  });

  it("that exited before it was returned is reported as process_exited", async () => {
    const puppet = new Puppet();
    puppet.exitCode = 3;
    puppet.stdout.end();
    const transport = await open({ spawnClaudeCodeProcess: puppet.spawn });
    await expect(readAll(transport)).rejects.toMatchObject({ code: "process_exited", exitCode: 3 });
  });

  it("that fails before its first message is reported as spawn_failed, with the cause", async () => {
    const puppet = new Puppet();
    const transport = await open({ spawnClaudeCodeProcess: puppet.spawn });
    puppet.fail("the host is down");
    const error = await errorOf(readAll(transport));
    expect(error).toMatchObject({
      code: "spawn_failed",
      message: "The CLI process failed: the host is down",
      cause: expect.objectContaining({ message: "the host is down" }),
    });
    expect(puppet.heard.slice(0, 3)).toEqual(["spawn", "SIGKILL", "abort"]);
  });

  it("that fails after its first message is reported as process_exited", async () => {
    const puppet = new Puppet();
    const transport = await open({ spawnClaudeCodeProcess: puppet.spawn });
    puppet.say(MESSAGE);
    const messages = transport.messages()[Symbol.asyncIterator]();
    expect((await messages.next()).value).toMatchObject({ kind: "message" });
    puppet.fail("the line broke");
    expect(await errorOf(messages.next())).toMatchObject({
      code: "process_exited",
      message: "The CLI process failed: the line broke",
    });
  });
});

describe.skipIf(process.platform !== "linux")("a ChildProcess of spawnClaudeCodeProcess", () => {
  it("is ended with its children, even if it ignores everything but SIGKILL", async () => {
    const cli = await fakeCli({
      steps: [
        { on: "start", do: [{ grandchild: { ignoreSigterm: true } }] },
        { on: "eof", times: "always", do: [] },
        { on: "SIGTERM", times: "always", do: [] },
      ],
    });
    onTestFinished(() => cli.dispose());
    const transport = await open({
      cliPath: cli.path,
      // Node sends SIGTERM by itself when that signal aborts, and reports an error.
      spawnClaudeCodeProcess: ({ command, args, env, signal }) =>
        spawn(command, args, { env, signal }),
    });
    const messages = transport.messages()[Symbol.asyncIterator]();
    await messages.next();
    const tree = treeOf(transport.pid as number);
    expect(tree.length).toBe(2);
    await transport.close();
    expect(stillAlive(tree)).toEqual([]);
    expect(await transport.exited).toMatchObject({ code: null, signal: "SIGKILL" });
    const [started] = await cli.recorded();
    expect(started).toMatchObject({ eof: true, signals: ["SIGTERM"] });
  });
});

/** What a user's program does with a process that is only an object, and what it prints. */
async function program(rest: string): Promise<{ printed: string; code: unknown }> {
  const source = `
    import { EventEmitter } from "node:events";
    import { PassThrough } from "node:stream";
    import { SubprocessTransport } from ${JSON.stringify(BUILT_ROOT)};
    const puppet = Object.assign(new EventEmitter(), {
      stdin: new PassThrough().resume(),
      stdout: new PassThrough(),
      killed: false,
      exitCode: null,
      kill: (signal) => process.stdout.write(signal + " "),
    });
    const spawnClaudeCodeProcess = () => puppet;
    const options = { ...${JSON.stringify(ELSEWHERE)}, spawnClaudeCodeProcess };
    const line = new SubprocessTransport(options);
    await line.connect();
    ${rest}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const [code] = await once(child, "close");
  return { printed, code };
}

describe("a program whose custom process keeps no handle open", () => {
  it("exits without close(), and kills the process first", async () => {
    expect(await program("")).toEqual({ printed: "SIGKILL ", code: 0 });
  });

  it("does not exit before close() has resolved", async () => {
    const printed = "SIGTERM SIGKILL closed";
    const close = 'await line.close(); process.stdout.write("closed");';
    expect(await program(close)).toEqual({ printed, code: 0 });
  });
});

describe("spawnClaudeCodeProcess without a process", () => {
  it("is spawn_failed if it throws, with secrets masked", async () => {
    const spawnClaudeCodeProcess = ({ env }: SpawnRequest): never => {
      throw new Error(`no room for ${env["ANTHROPIC_API_KEY"]}`);
    };
    const error = await errorOf(open({ spawnClaudeCodeProcess, apiKey: "canary-of-the-key" }));
    expect(error).toMatchObject({
      code: "spawn_failed",
      message: "spawnClaudeCodeProcess did not start the CLI: no room for ***",
      cliPath: "/nowhere/claude",
      cause: expect.objectContaining({ message: "no room for ***" }),
    });
  });

  it("is spawn_failed if the process emits an error at once", async () => {
    const puppet = new Puppet();
    const spawnClaudeCodeProcess = (request: SpawnRequest) => {
      process.nextTick(() => puppet.fail("no such image"));
      return puppet.spawn(request);
    };
    expect(await errorOf(open({ spawnClaudeCodeProcess }))).toMatchObject({
      code: "spawn_failed",
      message: "spawnClaudeCodeProcess did not start the CLI: no such image",
    });
    expect(puppet.heard).toContain("abort");
  });

  it("is spawn_failed if Node does not find the file", async () => {
    const spawnClaudeCodeProcess = ({ command, args }: SpawnRequest) => spawn(command, args);
    expect(await errorOf(open({ spawnClaudeCodeProcess }))).toMatchObject({
      code: "spawn_failed",
      cause: expect.objectContaining({ code: "ENOENT" }),
    });
    expect(processes()).toEqual([]);
  });

  it("is spawn_failed if the process has no pipes, and its late error does not end the host", async () => {
    const spawnClaudeCodeProcess = ({ command }: SpawnRequest) =>
      spawn(command, { stdio: "ignore" }) as unknown as SpawnedProcess;
    expect(await errorOf(open({ spawnClaudeCodeProcess }))).toMatchObject({
      code: "spawn_failed",
      message: expect.stringContaining("has no stdin and no stdout"),
    });
    await new Promise((resolve) => setImmediate(resolve));
  });

  it.each<[unknown, string]>([
    [undefined, "it returned undefined"],
    [null, "it returned null"],
    [{}, "what it returned has no kill and no on and no stdin and no stdout"],
    [Object.assign(new Puppet(), { stdout: {} }), "what it returned has no stdout"],
  ])(
    "is spawn_failed if the returned value lacks a member, which the message names: case %#",
    async (made, lack) => {
      const spawnClaudeCodeProcess = () => made as SpawnedProcess;
      expect(await errorOf(open({ spawnClaudeCodeProcess }))).toMatchObject({
        code: "spawn_failed",
        message: `spawnClaudeCodeProcess did not start the CLI: ${lack}`,
        retryable: false,
      });
    },
  );

  it("is spawn_failed if it returns a promise, and the process is killed", async () => {
    let child: ChildProcess | undefined;
    const promised = async (): Promise<SpawnedProcess> => {
      const late = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
      child = late;
      return late;
    };
    const spawnClaudeCodeProcess = promised as unknown as () => SpawnedProcess;
    expect(await errorOf(open({ spawnClaudeCodeProcess }))).toMatchObject({
      code: "spawn_failed",
      message: expect.stringContaining("a promise, not the process itself"),
    });
    if (child?.signalCode === null) await once(child, "exit");
    expect(child?.signalCode).toBe("SIGKILL");
  });
});
