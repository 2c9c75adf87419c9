import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { fakeCli, record, replay, type Scenario } from "../../src/testing/index.js";
import { FULL } from "../support/cli.js";
import { type Seen, stillAlive, treeOf, until } from "../support/proc.js";
import { entriesOf, ownFile, ownPath } from "./cassette-file.helper.js";
import { CliProcess, STREAM_JSON } from "./cli-process.helper.js";

const ENV = { PATH: process.env["PATH"] ?? "" };
/** For many bytes on a machine that may be busy. */
const SLOW = { timeout: 120_000 };
/** Two bytes for each character. */
const MIB = FULL ? 10 : 2;
const POSIX = process.platform !== "win32";

function start(path: string, args: readonly string[] = STREAM_JSON): CliProcess {
  return new CliProcess(path, args, { env: ENV });
}

/** Bytes that a line framer could get wrong. */
const TROUBLE: Scenario = {
  steps: [
    {
      on: "start",
      do: [
        { stderr: "a warning\n" },
        { write: "no JSON\n\n" },
        { write: '{"spaces" : 1.0, "big": 12345678901234567890}\r\n' },
        { write: "7+3/fg==", encoding: "base64" },
        { write: "\n" },
        { emit: { type: "system", text: "two \u2028 lines – ü" }, times: 100 },
        { write: '{"split":"ü–𝄞"}\n', chunkBytes: 1, gapMs: 0 },
        { write: '{"half' },
        { stderr: "no line end" },
        { exit: 3 },
      ],
    },
  ],
};

describe("record()", () => {
  it("passes on every byte unchanged, and replay() prints the same bytes", async () => {
    await using cli = await fakeCli(TROUBLE);
    await using direct = start(cli.path);
    await direct.closed;
    const file = await ownPath();
    {
      await using recorder = await record({ file, cliPath: cli.path });
      await using recorded = start(recorder.path);
      expect(await recorded.exit).toEqual({ code: 3, signal: null });
      await recorded.closed;
      expect(recorded.stdout.equals(direct.stdout)).toBe(true);
      expect(recorded.stderr).toBe(direct.stderr);
    }
    await using tape = await replay(file);
    await using replayed = start(tape.path);
    expect(await replayed.exit).toEqual({ code: 3, signal: null });
    await replayed.closed;
    expect(replayed.stdout.equals(direct.stdout)).toBe(true);
    expect(replayed.stderr).toBe(direct.stderr);
  });

  it(`passes on a line of ${2 * MIB} MiB in both directions`, SLOW, async () => {
    const cliPath = await ownFile("process.stdin.pipe(process.stdout);", "echo.mjs");
    const file = await ownPath();
    const line = JSON.stringify({ type: "user", text: `${"ü".repeat(MIB * 2 ** 20)}` });
    {
      await using recorder = await record({ file, cliPath });
      await using run = start(recorder.path);
      run.send(line);
      await run.until(() => run.lines.length === 1);
      expect(await run.end()).toEqual({ code: 0, signal: null });
      expect(hash(run.stdout)).toBe(hash(Buffer.from(`${line}\n`)));
    }
    const kinds = (await entriesOf(file)).map(({ kind }) => kind);
    expect(kinds).toEqual(["start", "in", "out", "eof", "exit"]);
  });

  it("applies backpressure when the host does not read", SLOW, async () => {
    const chunks = 1024;
    const cliPath = await ownFile(
      `import { writeSync } from "node:fs";
      const line = "x".repeat(2 ** 14 - 1) + "\\n";
      const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      const whole = (fd, text) => {
        for (let rest = Buffer.from(text); rest.length > 0; ) {
          try { rest = rest.subarray(writeSync(fd, rest)); } catch (error) { if (error.code !== "EAGAIN") throw error; wait(); }
        }
      };
      for (let n = 1; n <= ${chunks}; n++) { whole(1, line); whole(2, n + "\\n"); }`,
      "flood.mjs",
    );
    await using recorder = await record({ file: await ownPath(), cliPath });
    await using run = start(recorder.path);
    run.child.stdout?.pause();
    const written = () => Number(run.stderr.split("\n").at(-2) ?? 0);
    let before = -1;
    let still = 0;
    await until(() => {
      still = written() === before && before > 0 ? still + 1 : 0;
      before = written();
      return still === 50;
    });
    expect(written()).toBeLessThan(chunks / 2);
    run.child.stdout?.resume();
    expect(await run.exit).toEqual({ code: 0, signal: null });
    await run.closed;
    expect(run.stdout.length).toBe(chunks * 2 ** 14);
    expect(written()).toBe(chunks);
  });

  it("passes on the version, and records no take for it", async () => {
    await using cli = await fakeCli({ version: "9.9.9 (fake)" });
    const file = await ownPath();
    await using recorder = await record({ file, cliPath: cli.path });
    for (const flag of ["-v", "--version"]) {
      await using run = start(recorder.path, [flag]);
      expect(await run.exit).toEqual({ code: 0, signal: null });
      await run.closed;
      expect(run.stdout.toString()).toBe("9.9.9 (fake)\n");
    }
    expect(await entriesOf(file)).toEqual([]);
  });

  it("passes on arguments, environment and working directory", async () => {
    await using cli = await fakeCli();
    await using recorder = await record({ file: await ownPath(), cliPath: cli.path });
    const args = [...STREAM_JSON, "--settings", '{"a": "b c"}', ""];
    const env = { ...ENV, CANARY: "seen", EMPTY: "" };
    await using run = new CliProcess(recorder.path, args, { env, cwd: "/" });
    await run.end();
    const started = (await cli.recorded()).find(({ argv }) => argv[0] !== "-v");
    expect(started).toMatchObject({ argv: args, cwd: "/", env, eof: true });
    expect(Object.keys(started?.env ?? {}).sort()).toEqual(Object.keys(env).sort());
  });

  it("passes on the end of stdout while the CLI lives on", async () => {
    await using cli = await fakeCli({ steps: [{ on: "user", do: [{ closeStdout: true }] }] });
    await using recorder = await record({ file: await ownPath(), cliPath: cli.path });
    await using run = start(recorder.path);
    run.send({ type: "user", message: { role: "user", content: "hi" } });
    await run.closedStdout;
    expect(run.child.exitCode).toBe(null);
    expect(await run.end()).toEqual({ code: 0, signal: null });
  });

  it.runIf(POSIX)("passes on the end of stdout over a shell pipe, which is no socket", async () => {
    await using cli = await fakeCli({ steps: [{ on: "user", do: [{ closeStdout: true }] }] });
    await using recorder = await record({ file: await ownPath(), cliPath: cli.path });
    const script = '"$@" | { cat; echo "{\\"type\\":\\"ended\\"}"; }';
    const args = ["-c", script, "sh", process.execPath, recorder.path, ...STREAM_JSON];
    await using run = new CliProcess("/bin/sh", args, { env: ENV });
    run.send({ type: "user", message: { role: "user", content: "hi" } });
    await run.line(({ type }) => type === "ended");
    expect(await run.end()).toEqual({ code: 0, signal: null });
  });
});

describe.runIf(POSIX)("exit of a recorded CLI", () => {
  it.each([
    ["a code", { exit: 7 }, { code: 7, signal: null }],
    ["SIGKILL", { die: "SIGKILL" }, { code: null, signal: "SIGKILL" }],
    ["SIGSEGV", { die: "SIGSEGV" }, { code: null, signal: "SIGSEGV" }],
    ["SIGTERM", { die: "SIGTERM" }, { code: null, signal: "SIGTERM" }],
  ] as const)("by %s is the exit of the recorder and of the replay", async (_, action, end) => {
    await using cli = await fakeCli({ steps: [{ on: "user", do: [{ turn: "bye" }, action] }] });
    const file = await ownPath();
    const host = async (path: string) => {
      await using run = start(path);
      run.send({ type: "user", message: { role: "user", content: "hi" } });
      expect(await run.exit).toEqual(end);
      await run.closed;
      return run.lines.length;
    };
    {
      await using recorder = await record({ file, cliPath: cli.path });
      expect(await host(recorder.path)).toBe(3);
    }
    await using tape = await replay(file);
    expect(await host(tape.path)).toBe(3);
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 0],
    ["SIGHUP", 129],
  ] as const)("by %s comes from the CLI, which receives the signal once", async (signal, code) => {
    // Late enough to notice a second signal.
    const steps = [{ on: signal, do: [{ sleep: 500 }, { exit: code }] }];
    await using cli = await fakeCli({ steps });
    const file = await ownPath();
    const host = async (path: string) => {
      await using run = new Group(path);
      run.send({ type: "user", message: { role: "user", content: "hi" } });
      await run.line(({ type }) => type === "result");
      // As a host does that starts a CLI in a group of its own.
      process.kill(-run.pid, signal);
      expect(await run.exit).toEqual({ code, signal: null });
    };
    {
      await using recorder = await record({ file, cliPath: cli.path });
      await host(recorder.path);
    }
    const started = (await cli.recorded()).find(({ argv }) => argv[0] !== "-v");
    expect(started?.signals).toEqual([signal]);
    expect((await entriesOf(file)).slice(-2)).toMatchObject([
      { kind: "signal", signal },
      { kind: "exit", code },
    ]);
    await using tape = await replay(file);
    await host(tape.path);
  });

  it("is not delayed by a grandchild that keeps the pipes open", async () => {
    await using cli = await fakeCli({
      steps: [
        { on: "user", do: [{ grandchild: { inheritOutput: true, seconds: 60 } }, { exit: 4 }] },
      ],
    });
    await using recorder = await record({ file: await ownPath(), cliPath: cli.path });
    await using run = start(recorder.path);
    run.send({ type: "user", message: { role: "user", content: "hi" } });
    const { pid } = await run.line(({ subtype }) => subtype === "fake_grandchild");
    expect(await run.exit).toEqual({ code: 4, signal: null });
    process.kill(Number(pid), "SIGKILL");
  });

  it("follows at once when the recorder is killed, even if the CLI ignores signals and the end of input", async () => {
    await using cli = await fakeCli({
      steps: [
        { on: "user", do: [{ emit: { type: "busy" } }, { hang: true }] },
        { on: "SIGTERM", times: "always", do: [] },
        { on: "eof", do: [] },
      ],
    });
    await using recorder = await record({ file: await ownPath(), cliPath: cli.path });
    await using run = start(recorder.path);
    run.send({ type: "user", message: { role: "user", content: "hi" } });
    await run.line(({ type }) => type === "busy");
    const tree: Seen[] = treeOf(run.child.pid ?? 0);
    expect(tree.some(({ command }) => command.includes(cli.path))).toBe(true);
    run.child.kill("SIGKILL");
    await until(() => stillAlive(tree).length === 0);
  });
});

describe("cassette file of record()", () => {
  it("is readable only by its owner, also when the file existed before", async () => {
    await using cli = await fakeCli();
    const file = await ownFile("something else");
    await using recorder = await record({ file, cliPath: cli.path });
    await using run = start(recorder.path);
    await run.end();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await entriesOf(file)).map(({ kind }) => kind)).toEqual(["start", "eof", "exit"]);
  });

  it("keeps concurrent processes apart", async () => {
    await using cli = await fakeCli({
      steps: [{ on: "user", times: "always", do: [{ emit: { type: "noise" }, times: 500 }] }],
    });
    const file = await ownPath();
    const hosts = 8;
    {
      await using recorder = await record({ file, cliPath: cli.path });
      const all = Array.from({ length: hosts }, async () => {
        await using run = start(recorder.path);
        run.send({ type: "user", message: { role: "user", content: "go" } });
        await run.end();
      });
      await Promise.all(all);
    }
    const entries = await entriesOf(file);
    for (let take = 1; take <= hosts; take++) {
      const kinds = entries.filter((entry) => entry["take"] === take).map(({ kind }) => kind);
      expect(kinds.slice(0, 2)).toEqual(["start", "in"]);
      expect(kinds.filter((kind) => kind === "out")).toHaveLength(500);
      expect(kinds.at(-1)).toBe("exit");
    }
    await using tape = await replay(file);
    const again = Array.from({ length: hosts }, async () => {
      await using run = start(tape.path);
      run.send({ type: "user", message: { role: "user", content: "go" } });
      await run.end();
      await run.closed;
      return run.lines.length;
    });
    expect(await Promise.all(again)).toEqual(Array.from({ length: hosts }, () => 500));
  });

  it("is complete when the recorder is disposed", async () => {
    await using cli = await fakeCli({ steps: [{ on: "eof", do: [{ sleep: 300 }, { exit: 0 }] }] });
    const file = await ownPath();
    const recorder = await record({ file, cliPath: cli.path });
    await using run = start(recorder.path);
    run.send({ type: "user", message: { role: "user", content: "hi" } });
    await run.line(({ type }) => type === "result");
    run.child.stdin?.end();
    await recorder.dispose();
    expect((await entriesOf(file)).at(-1)).toMatchObject({ kind: "exit", code: 0 });
  });
});

/** A host process that leads a group of its own. */
class Group extends CliProcess {
  constructor(path: string) {
    const options = { env: ENV, detached: true };
    super(path, STREAM_JSON, options);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }
}

function hash(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
