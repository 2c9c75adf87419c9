import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { type FakeCli, fakeCli } from "../../src/testing/index.js";
import { CliProcess, STREAM_JSON } from "./cli-process.helper.js";

const ENV = { PATH: process.env["PATH"] ?? "", CANARY: "seen" };

function start(cli: FakeCli, args: readonly string[] = STREAM_JSON): CliProcess {
  return new CliProcess(cli.path, args, { env: ENV });
}

function control(id: string, subtype: string) {
  return { type: "control_request", request_id: id, request: { subtype } };
}

describe("fakeCli() without a scenario", () => {
  it("prints its version and exits", async () => {
    await using cli = await fakeCli();
    for (const flag of ["-v", "--version"]) {
      await using run = start(cli, [flag]);
      expect(await run.exit).toEqual({ code: 0, signal: null });
      await run.closed;
      expect(run.stdout.toString()).toBe("2.1.325 (Claude Code)\n");
    }
  });

  it.runIf(process.platform !== "win32")("can be executed directly", async () => {
    await using cli = await fakeCli({ version: "9.9.9 (fake)" });
    const { stdout } = await promisify(execFile)(cli.path, ["--version"], { env: ENV });
    expect(stdout).toBe("9.9.9 (fake)\n");
  });

  it("answers initialize, control requests and prompts, and exits at the end of input", async () => {
    await using cli = await fakeCli();
    await using run = start(cli, [...STREAM_JSON, "--session-id=the-session"]);
    run.send(control("r1", "initialize"));
    run.send(control("r2", "get_context_usage"));
    run.send({ type: "keep_alive" });
    const user = { type: "user", uuid: "u1", message: { role: "user", content: "hi" } };
    run.send(user);
    expect(await run.end()).toEqual({ code: 0, signal: null });
    await run.closed;
    const session_id = "the-session";
    expect(run.lines).toMatchObject([
      {
        type: "control_response",
        response: { subtype: "success", request_id: "r1", response: { commands: [] } },
      },
      {
        type: "control_response",
        response: { subtype: "success", request_id: "r2", response: {} },
      },
      { type: "system", subtype: "init", session_id, claude_code_version: "2.1.325" },
      { type: "assistant", session_id, message: { content: [{ type: "text", text: "ok" }] } },
      { type: "result", subtype: "success", is_error: false, result: "ok", session_id },
    ]);
    expect(run.lines.at(-1)).toMatchObject({ user_message_uuids: ["u1"], result_index: 0 });
  });

  it("exits on invalid JSON, as the real CLI does", async () => {
    await using cli = await fakeCli();
    await using run = start(cli);
    run.send("{broken");
    expect(await run.exit).toEqual({ code: 1, signal: null });
    await run.closed;
    expect(run.stderr).toBe("Error parsing streaming input line: {broken\n");
  });

  it.runIf(process.platform !== "win32").each([
    ["SIGTERM", 143],
    ["SIGINT", 0],
    ["SIGHUP", 129],
  ] as const)("exits after %s with %i", async (signal, code) => {
    await using cli = await fakeCli();
    await using run = start(cli);
    run.send(control("r1", "initialize"));
    await run.until(() => run.lines.length === 1);
    run.child.kill(signal);
    expect(await run.exit).toEqual({ code, signal: null });
  });
});

describe("fakeCli() with a scenario", () => {
  it("uses the steps of an event in order, then the default", async () => {
    await using cli = await fakeCli({
      steps: [
        { on: "user", do: [{ turn: "first" }] },
        { on: "user", times: 2, do: [{ result: { is_error: true, result: "failed" } }] },
        { on: "control", subtype: "interrupt", times: "always", do: [{ respond: { n: 1 } }] },
        { on: "control", subtype: "mcp_status", do: [{ respondError: "no" }, { default: true }] },
        { on: "initialize", do: [] },
      ],
    });
    await using run = start(cli);
    const results: unknown[] = [];
    for (let n = 0; n < 4; n++) results.push((await run.turn("go")).at(-1)?.["result"]);
    expect(results).toEqual(["first", "failed", "failed", "ok"]);

    const from = run.lines.length;
    run.send(control("never", "initialize"));
    run.send(control("a", "interrupt"));
    run.send(control("b", "interrupt"));
    run.send(control("c", "mcp_status"));
    await run.until(() => run.lines.length === from + 4);
    expect(run.lines.slice(from).map((line) => line["response"])).toEqual([
      { subtype: "success", request_id: "a", response: { n: 1 } },
      { subtype: "success", request_id: "b", response: { n: 1 } },
      { subtype: "error", request_id: "c", error: "no" },
      { subtype: "success", request_id: "c", response: { mcpServers: [] } },
    ]);
    expect(await run.end()).toEqual({ code: 0, signal: null });
  });

  it("exits with 1 when the last result was an error", async () => {
    await using cli = await fakeCli({
      steps: [{ on: "user", do: [{ result: { is_error: true } }] }],
    });
    await using run = start(cli);
    await run.turn("go");
    expect(await run.end()).toEqual({ code: 1, signal: null });
  });

  it("answers control requests during a prompt, and prompts in order", async () => {
    await using cli = await fakeCli({
      steps: [
        { on: "user", do: [{ init: { model: "mine" } }, { sleep: 300 }, { turn: "slow" }] },
        { on: "user", do: [{ turn: "second" }] },
        { on: "response", do: [{ emit: { type: "heard" } }] },
      ],
    });
    await using run = start(cli);
    const user = { type: "user", message: { role: "user", content: "go" } };
    run.send(user);
    run.send(user);
    await run.line((line) => line["model"] === "mine");
    run.send(control("r", "get_context_usage"));
    run.send({ type: "control_response", response: { subtype: "success", request_id: "x" } });
    await run.line((line) => line["result"] === "second");
    expect(run.lines.map((line) => line["result"] ?? line["subtype"] ?? line["type"])).toEqual([
      "init",
      "control_response",
      "heard",
      "init",
      "assistant",
      "slow",
      "init",
      "assistant",
      "second",
    ]);
  });

  it("prints one assistant line for each block, with one message id", async () => {
    const blocks = [
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "tool_use", id: "toolu_1", name: "Bash", input: {} },
    ];
    await using cli = await fakeCli({ steps: [{ on: "start", do: [{ assistant: blocks }] }] });
    await using run = start(cli);
    await run.until(() => run.lines.length === 2);
    const messages = run.lines.map((line) => line["message"] as { id: string; content: unknown });
    expect(messages.map((message) => message.content)).toEqual(blocks.map((block) => [block]));
    expect(messages[0]?.id).toBe(messages[1]?.id);
  });
});

describe("fakeCli() step with `process`", () => {
  it("is used by the process with that number", async () => {
    await using cli = await fakeCli({
      steps: [
        { on: "user", process: 1, do: [{ exit: 9 }] },
        { on: "user", process: 2, times: 2, do: [{ turn: "second" }] },
        { on: "user", do: [{ turn: "each" }] },
      ],
    });
    await using first = start(cli);
    first.send({ type: "user", message: { role: "user", content: "go" } });
    expect(await first.exit).toEqual({ code: 9, signal: null });
    await using probe = start(cli, ["--version"]);
    await probe.exit;
    const answers: unknown[] = [];
    for (let n = 0; n < 2; n++) {
      await using run = start(cli);
      for (let turn = 0; turn < 3; turn++) {
        answers.push((await run.turn("go")).at(-1)?.["result"]);
      }
    }
    expect(answers).toEqual(["second", "second", "each", "each", "ok", "ok"]);
  });

  it("is used once, however many processes start together", async () => {
    const numbers = [1, 2, 3, 4, 5, 6];
    await using cli = await fakeCli({
      steps: numbers.map((n) => ({ on: "user", process: n, do: [{ turn: String(n) }] })),
    });
    const answers = await Promise.all(
      numbers.map(async () => {
        await using run = start(cli);
        return Number((await run.turn("go")).at(-1)?.["result"]);
      }),
    );
    expect(answers.sort()).toEqual(numbers);
  });
});

describe("FakeCli.recorded()", () => {
  it("returns the arguments, environment and lines of each process", async () => {
    await using cli = await fakeCli({ steps: [{ on: "SIGTERM", do: [{ exit: 5 }] }] });
    await using probe = start(cli, ["-v"]);
    await probe.exit;
    await using run = start(cli);
    run.send(control("r", "initialize"));
    run.send('{"type":"odd"}');
    await run.until(() => run.lines.length === 1);
    run.child.kill("SIGTERM");
    expect(await run.exit).toEqual({ code: 5, signal: null });

    const [first, second] = await cli.recorded();
    expect(first).toMatchObject({ pid: probe.child.pid, argv: ["-v"], lines: [], eof: false });
    expect(second).toEqual({
      pid: run.child.pid,
      argv: [...STREAM_JSON],
      env: expect.objectContaining({ CANARY: "seen" }),
      cwd: process.cwd(),
      lines: [JSON.stringify(control("r", "initialize")), '{"type":"odd"}'],
      signals: ["SIGTERM"],
      eof: false,
    });
  });

  it("reads another file with `record`, and dispose() removes the folder of the fake", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hawser-test-"));
    const record = join(folder, "record");
    const cli = await fakeCli({ record });
    await using run = start(cli);
    await run.end();
    expect(await cli.recorded()).toMatchObject([{ pid: run.child.pid, eof: true }]);
    await cli.dispose();
    expect(existsSync(dirname(cli.path))).toBe(false);
    expect(await readFile(record, "utf8")).toContain('"event":"eof"');
    await rm(folder, { recursive: true });
  });
});
