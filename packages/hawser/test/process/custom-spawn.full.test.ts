import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Options, SpawnedProcess, SpawnRequest } from "../../src/options/index.js";
import { prepare, processes } from "../../src/process/index.js";
import { fakeCli, type Scenario, toolUse } from "../../src/testing/index.js";
import { SubprocessTransport } from "../../src/transport/index.js";
import { controlRequest, type Message, userLine } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { stillAlive, treeOf, until } from "../support/proc.js";
import { recordingLogger } from "../support/recording-logger.js";
import { world } from "../support/world.js";

async function fake(scenario: Scenario = {}) {
  const cli = await fakeCli(scenario);
  onTestFinished(() => cli.dispose());
  return cli;
}

async function open(options: Options): Promise<SubprocessTransport> {
  const transport = new SubprocessTransport(options);
  onTestFinished(() => transport.kill());
  await transport.connect();
  return transport;
}

async function readUntil(transport: SubprocessTransport, type: string): Promise<Message[]> {
  const seen: Message[] = [];
  for await (const frame of transport.messages()) {
    if (frame.kind !== "message") continue;
    seen.push(frame.message);
    if (frame.message.type === type) break;
  }
  return seen;
}

function plain({ command, args, cwd, env }: SpawnRequest): ChildProcessWithoutNullStreams {
  return spawn(command, args, { cwd, env });
}

/** Starts a second process that starts the CLI, as `ssh` or `docker run` would. */
function wrapped({ command, args, cwd, env }: SpawnRequest): ChildProcessWithoutNullStreams {
  const source = `
    const { spawn } = require("node:child_process");
    const child = spawn(process.argv[1], process.argv.slice(2), { stdio: "inherit" });
    child.on("exit", (code) => process.exit(code ?? 1));`;
  return spawn(process.execPath, ["-e", source, "--", command, ...args], { cwd, env });
}

/** Only what the type asks for, and text instead of bytes. */
function bare(request: SpawnRequest): SpawnedProcess {
  const child = plain(request);
  child.stdout.setEncoding("utf8");
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    get killed() {
      return child.killed;
    },
    get exitCode() {
      return child.exitCode;
    },
    kill: (signal) => child.kill(signal),
    on: child.on.bind(child),
    once: child.once.bind(child),
    off: child.off.bind(child),
  };
}

describe("spawnClaudeCodeProcess", () => {
  it("gets the command, the whole environment and a signal, and nothing else", async () => {
    const cli = await fake();
    const cwd = mkdtempSync(join(tmpdir(), "hawser-own-"));
    onTestFinished(() => rmSync(cwd, { recursive: true }));
    const given: SpawnRequest[] = [];
    const transport = await open({
      cliPath: cli.path,
      cwd,
      env: { MINE: "1" },
      inheritEnv: ["PATH"],
      spawnClaudeCodeProcess: (request) => {
        given.push(request);
        return plain(request);
      },
    });
    const { argv, env } = transport.invocation;
    expect(given).toEqual([
      {
        command: "node",
        args: argv,
        cwd,
        env: { ...env, HAWSER_MARK: expect.any(String) },
        signal: expect.any(AbortSignal),
      },
    ]);
    expect(argv[0]).toBe(cli.path);
    expect(env["MINE"]).toBe("1");
    await transport.close();
    expect(given[0]?.signal.aborted).toBe(false);
  });

  it("gets no cwd if none is set", async () => {
    const { path } = await fake();
    let keys: string[] = [];
    const transport = await open({
      cliPath: path,
      spawnClaudeCodeProcess: (request) => {
        keys = Object.keys(request);
        return plain(request);
      },
    });
    expect(keys).toEqual(["command", "args", "env", "signal"]);
    await transport.close();
  });

  it.each([
    ["a ChildProcess", plain],
    ["a process that stands in front of the CLI", wrapped],
    ["an object without pid, stderr, ref() and unref(), that gives text", bare],
  ])("may return %s", async (_what, spawnClaudeCodeProcess) => {
    const cli = await fake({ steps: [{ on: "user", do: [{ turn: "Ahoi ✓." }] }] });
    const transport = await open({ cliPath: cli.path, spawnClaudeCodeProcess });
    await transport.send(userLine("Greet me."));
    expect((await readUntil(transport, "result")).at(-1)).toMatchObject({ result: "Ahoi ✓." });
    const own = (await cli.recorded()).map(({ pid }) => pid).flatMap(treeOf);
    expect(own.length).toBe(1);
    await transport.close();
    expect(stillAlive(own)).toEqual([]);
    expect(await transport.exited).toEqual({ code: 0, signal: null, stderrTail: "" });
    expect(processes()).toEqual([]);
  });

  it("adds the end of the stderr to the error", async () => {
    const cli = await fake({
      steps: [{ on: "start", do: [{ stderr: "no luck\n" }, { exit: 7 }] }],
    });
    const lines: string[] = [];
    const transport = await open({
      cliPath: cli.path,
      spawnClaudeCodeProcess: plain,
      stderr: (line) => lines.push(line),
    });
    await expect(readUntil(transport, "never")).rejects.toMatchObject({
      code: "process_exited",
      exitCode: 7,
      stderrTail: "no luck",
    });
    expect(lines).toEqual(["no luck"]);
  });
});

describe("with spawnClaudeCodeProcess, before the start", () => {
  const never = (): SpawnedProcess => {
    throw new Error("never called");
  };

  it.each(["/nowhere/claude", "claude-elsewhere", "./nowhere/claude"])(
    "a CLI named %s is not located or asked for its version, and its cwd is not checked",
    async (cliPath) => {
      const { logger, entries } = recordingLogger();
      const prepared = await prepare({
        cliPath,
        cwd: "/nowhere/work",
        plugins: [{ type: "local", path: "/nowhere/plugin" }],
        spawnClaudeCodeProcess: never,
        logger,
      });
      expect(prepared.location).toEqual({ path: cliPath, source: "option", script: false });
      expect(prepared.version).toBeUndefined();
      expect(prepared.versionText).toBe("not asked");
      expect(prepared.customSpawn).toBe(never);
      expect(prepared.invocation.file).toBe(cliPath);
      expect(prepared.invocation.cwd).toBe("/nowhere/work");
      expect(entries.map(({ message }) => message)).toEqual([
        expect.stringContaining("version of the CLI is unknown"),
      ]);
    },
  );

  it.each<[string, Options, string]>([
    ["node", {}, "node"],
    ["another one", { executable: "bun" }, "bun"],
  ])("a script in pathToClaudeCodeExecutable runs under %s", async (_n, more, runtime) => {
    const { invocation } = await prepare({
      pathToClaudeCodeExecutable: "/nowhere/cli.js",
      spawnClaudeCodeProcess: never,
      ...more,
    });
    expect([invocation.file, invocation.argv[0]]).toEqual([runtime, "/nowhere/cli.js"]);
  });

  it("the CLI is located and asked for its version if no path is given", async () => {
    const cli = await fake({ version: "2.1.200 (Claude Code)" });
    const prepared = await prepare({
      env: { HAWSER_CLI: cli.path },
      spawnClaudeCodeProcess: never,
    });
    expect(prepared.location).toEqual({ path: cli.path, source: "HAWSER_CLI", script: true });
    expect(prepared.version).toEqual([2, 1, 200]);
    expect(prepared.invocation.file).toBe(process.execPath);
  });

  it("user is refused, because it would have no effect", async () => {
    const options = { cliPath: "/nowhere/claude", user: "nobody", spawnClaudeCodeProcess: never };
    await expect(prepare(options)).rejects.toMatchObject({
      code: "invalid_options",
      issues: [{ path: "user", message: expect.stringContaining("spawnClaudeCodeProcess") }],
    });
  });
});

describe.runIf(process.platform === "linux").each(clisInTurn())(
  "the real CLI $name with spawnClaudeCodeProcess",
  ({ path }) => {
    it.each([
      ["a plain", plain],
      ["a wrapping", wrapped],
      ["a bare", bare],
    ])("answers behind %s own spawn function", async (_kind, spawnClaudeCodeProcess) => {
      const { options } = await world(path, ["Ahoi."]);
      const transport = await open({ ...options, spawnClaudeCodeProcess });
      await transport.send(controlRequest("init", transport.invocation.initialize));
      await transport.send(userLine("Greet me."));
      const messages = await readUntil(transport, "result");
      expect(messages.at(-1)).toMatchObject({ subtype: "success", result: "Ahoi." });
      await transport.close();
      expect(await transport.exited).toMatchObject({ code: 0, signal: null });
    });

    it.each([
      ["a plain", plain],
      ["a wrapping", wrapped],
    ])("leaves no tool behind that runs behind %s one", async (_kind, spawnClaudeCodeProcess) => {
      const command = "tail -f /dev/null & tail -f ./work.log";
      const { cwd, options } = await world(path, [toolUse("Bash", { command, description: "d" })]);
      writeFileSync(join(cwd, "work.log"), "");
      const transport = await open({
        ...options,
        tools: ["Bash"],
        allowedTools: ["Bash"],
        closeGraceMs: 500,
        spawnClaudeCodeProcess,
      });
      await transport.send(controlRequest("init", transport.invocation.initialize));
      await transport.send(userLine("Watch the log."));
      const pid = transport.pid as number;
      await until(() => treeOf(pid).find((each) => each.command === "tail -f /dev/null"));
      const tree = treeOf(pid);
      expect(tree.length).toBeGreaterThanOrEqual(3);
      await transport.close();
      expect(stillAlive(tree)).toEqual([]);
    });
  },
);
