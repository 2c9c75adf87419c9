import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { TurnPart } from "../../src/testing/index.js";
import { type Line, STREAM_JSON } from "./cli-process.helper.js";
import { converse, kind, play, prompt } from "./fake-cli-host.helper.js";

const ASK = "--permission-prompt-tool=stdio";

describe("fakeCli() turn", () => {
  const interrupt = { type: "control_request", request_id: "i", request: { subtype: "interrupt" } };

  it("ends on an interrupt, after the response to it, and the next prompt is served", async () => {
    await using fake = await play({
      steps: [{ on: "user", do: [{ turn: ["Well,", { sleep: 600_000 }, "never"] }, { exit: 3 }] }],
    });
    fake.run.send(prompt("go"));
    await fake.run.line((line) => line["type"] === "assistant");
    fake.run.send(interrupt);
    const result = await fake.run.line((line) => line["type"] === "result");
    expect(result).toMatchObject({ is_error: true, terminal_reason: "aborted_streaming" });
    expect(fake.run.lines.map(kind)).toEqual([
      "init",
      "assistant",
      "control_response",
      "user",
      "error_during_execution",
    ]);
    expect((await fake.run.turn("more")).at(-1)).toMatchObject({ result: "ok" });
  });

  it("is not ended by an interrupt that comes too late or during a hang", async () => {
    await using fake = await play({
      steps: [
        { on: "user", do: [{ turn: "one" }, { sleep: 200 }, { emit: { type: "after" } }] },
        { on: "user", do: [{ init: {} }, { hang: true }] },
      ],
    });
    await fake.run.turn("go");
    fake.run.send(interrupt);
    await fake.run.line((line) => line["type"] === "after");
    fake.run.send(prompt("go"));
    const from = fake.run.lines.length;
    await fake.run.line((line) => line["subtype"] === "init", from);
    fake.run.send(interrupt);
    await fake.run.line((line) => line["type"] === "control_response", from);
    fake.run.child.kill("SIGTERM");
    expect(await fake.run.exit).toEqual({ code: 143, signal: null });
    expect(fake.run.lines.filter((line) => line["type"] === "result")).toHaveLength(1);
  });

  it("drops queued prompts if the interrupt asks for that", async () => {
    await using fake = await play({
      steps: [{ on: "user", do: [{ turn: [{ sleep: 600_000 }] }] }],
    });
    fake.run.send(prompt("one"));
    await fake.run.line((line) => line["subtype"] === "init");
    fake.run.send({ ...prompt("two"), uuid: "u2" });
    fake.run.send({ ...interrupt, request: { subtype: "interrupt", cancel_queued: true } });
    expect(await fake.run.end()).toEqual({ code: 1, signal: null });
    await fake.run.closed;
    expect(fake.run.lines[1]).toMatchObject({ response: { response: { cancelled: ["u2"] } } });
    expect(fake.run.lines.filter((line) => line["type"] === "result")).toHaveLength(1);
  });

  it("denies its own permission requests and ends when the host has closed the input", async () => {
    await using fake = await play(
      { steps: [{ on: "user", do: [{ turn: [{ tool: "Bash" }, "so"] }] }] },
      [...STREAM_JSON, ASK],
    );
    fake.run.send(prompt("go"));
    expect(await fake.run.end()).toEqual({ code: 0, signal: null });
    await fake.run.closed;
    expect(fake.run.lines.find((line) => line["type"] === "user")).toMatchObject({
      tool_use_result: "Error: Tool permission request failed: AbortError: Stream closed",
    });
    expect(fake.run.lines.at(-1)).toMatchObject({ result: "so" });
  });

  it("shows the actual input of a tool, or its failure", async () => {
    const turn: TurnPart[] = [
      { tool: "Bash", input: { command: "ls" }, allowed: true },
      { tool: "Bash", error: "exit code 3", allowed: true },
      "done",
    ];
    await using fake = await play({ steps: [{ on: "user", do: [{ turn }] }] });
    const lines = await fake.run.turn("go");
    expect(lines.filter((line) => line["type"] === "user")).toMatchObject([
      { tool_use_result: 'Bash ran with {"command":"ls"}' },
      { tool_use_result: "Error: exit code 3", message: { content: [{ is_error: true }] } },
    ]);
    expect(lines.at(-1)).toMatchObject({ num_turns: 3, result: "done" });
  });

  it("ends on an interrupt while a slow tool runs", async () => {
    const turn: TurnPart[] = [{ tool: "Bash", allowed: true, ms: 600_000 }, "never"];
    await using fake = await play({ steps: [{ on: "user", do: [{ turn }] }] });
    fake.run.send(prompt("go"));
    await fake.run.line((line) => line["type"] === "assistant");
    fake.run.send(interrupt);
    const result = await fake.run.line((line) => line["type"] === "result");
    expect(result).toMatchObject({ is_error: true, terminal_reason: "aborted_tools" });
  });

  it("keeps the permission updates of the host", async () => {
    const turn: TurnPart[] = [{ tool: "Bash" }, { tool: "Bash" }, "done"];
    await using fake = await play({ steps: [{ on: "user", times: "always", do: [{ turn }] }] }, [
      ...STREAM_JSON,
      ASK,
    ]);
    const rules = [{ toolName: "Bash" }];
    const updatedPermissions = [{ type: "addRules", behavior: "allow", rules }];
    const answers = () => ({ behavior: "allow", updatedPermissions });
    const lines = await converse(fake.run, { says: ["go"], answers }, "result");
    expect(lines.filter((line) => line["type"] === "control_request")).toHaveLength(1);
  });

  it("is started by a background task, also after the end of input", async () => {
    const background = { description: "long", ms: 50, next: ["It is done."] };
    await using fake = await play({
      steps: [{ on: "user", do: [{ turn: ["Started.", { background }] }] }],
    });
    fake.run.send({ ...prompt("go"), uuid: "u1" });
    expect(await fake.run.end()).toEqual({ code: 0, signal: null });
    await fake.run.closed;
    expect(fake.run.lines.map(kind)).toEqual([
      "init",
      "assistant",
      "background_tasks_changed",
      "task_started",
      "success",
      "task_updated",
      "task_notification",
      "background_tasks_changed",
      "init",
      "assistant",
      "success",
    ]);
    expect(fake.run.lines.at(-1)).toMatchObject({
      result: "It is done.",
      result_index: 1,
      origin: { kind: "task-notification" },
    });
    expect(fake.run.lines.at(-1)).not.toHaveProperty("user_message_uuids");
  });
});

describe("fakeCli() request to the host", () => {
  it("may be any request, and is cancelled when it is not answered in time", async () => {
    const request = { subtype: "elicitation", message: "Who?" };
    await using fake = await play({
      steps: [
        { on: "user", do: [{ ask: request }, { ask: request, cancelAfterMs: 50 }, { turn: "so" }] },
      ],
    });
    const answers = (_: unknown, n: number) => (n === 0 ? { action: "decline" } : undefined);
    const lines = await converse(fake.run, { says: ["go"], answers }, "result");
    expect(lines.map(kind)).toEqual([
      "elicitation",
      "elicitation",
      "control_cancel_request",
      "init",
      "assistant",
      "success",
    ]);
    expect(lines[2]?.["request_id"]).toBe(lines[1]?.["request_id"]);
    expect((await fake.cli.recorded())[0]?.lines[1]).toContain("decline");
  });

  it("may be any hook, by its matcher", async () => {
    const input = { tool_name: "Bash", message: "look" };
    await using fake = await play({
      steps: [{ on: "user", do: [{ hook: "Notification", input }, { turn: "so" }] }],
    });
    const initialize = {
      hooks: {
        Notification: [
          { matcher: "Bash|Read", hookCallbackIds: ["yes"] },
          { matcher: "Ba", hookCallbackIds: ["no"] },
          { hookCallbackIds: ["all"] },
        ],
      },
    };
    const host = { initialize, says: ["go"], answers: () => ({}) };
    const lines = await converse(fake.run, host, "result");
    const asked = lines.flatMap((line) => (line["request"] as Line | undefined) ?? []);
    expect(asked).toMatchObject([
      { callback_id: "yes", input: { hook_event_name: "Notification", message: "look" } },
      { callback_id: "all" },
    ]);
  });
});

describe("fakeCli() control requests", () => {
  it("that set a model or a mode show in the lines that follow", async () => {
    await using fake = await play({}, [...STREAM_JSON, "--model=first", "--permission-mode=plan"]);
    expect((await fake.run.turn("go"))[0]).toMatchObject({
      model: "first",
      permissionMode: "plan",
    });
    const says = [
      { subtype: "set_model", model: "second" },
      { subtype: "set_permission_mode", mode: "acceptEdits" },
      "go",
    ];
    const lines = await converse(fake.run, { says }, "result");
    expect(lines.find((line) => line["subtype"] === "init")).toMatchObject({
      model: "second",
      permissionMode: "acceptEdits",
    });
    expect(lines.find((line) => line["isReplay"])).toBeDefined();
  });

  it("get_settings returns the settings that were sent", async () => {
    const settings = { permissions: { deny: ["Bash(rm *)"] } };
    await using fake = await play({}, [...STREAM_JSON, "--settings", JSON.stringify(settings)]);
    const says = [{ subtype: "get_settings" }, { subtype: "end_session" }];
    await converse(fake.run, { says });
    expect(await fake.run.exit).toEqual({ code: 0, signal: null });
    expect(fake.run.lines[0]).toMatchObject({
      response: { response: { sources: [{ source: "flagSettings", settings }] } },
    });
  });
});

describe("fakeCli() MCP servers of the host", () => {
  it("are known after the host has removed the configuration file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hawser-test-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "mcp.json");
    await writeFile(file, JSON.stringify({ mcpServers: { git: {}, db: {} } }));
    await using fake = await play({ mcp: { db: "failed" } }, [
      ...STREAM_JSON,
      `--mcp-config=${file}`,
    ]);
    await converse(fake.run, { initialize: {}, says: [] });
    await rm(file);
    const lines = await converse(fake.run, { says: [{ subtype: "mcp_status" }, "go"] }, "result");
    const git = { name: "git", status: "connected" };
    const db = { name: "db", status: "failed" };
    expect(lines[0]).toMatchObject({ response: { response: { mcpServers: [git, db] } } });
    expect(lines[1]).toMatchObject({ mcp_servers: [git, db] });
  });

  it("have every tool that a scenario names; failed and missing servers have none", async () => {
    const config = JSON.stringify({ mcpServers: { "my git": {}, db: {} } });
    const names = ["mcp__my_git__log", "mcp__db__ask", "mcp__other__ask"];
    const turn = [...names.map((tool) => ({ tool, allowed: true })), "done"];
    await using fake = await play(
      { mcp: { db: "failed" }, steps: [{ on: "user", do: [{ turn }] }] },
      [...STREAM_JSON, `--mcp-config=${config}`],
    );
    const lines = await fake.run.turn("go");
    expect(
      lines.filter((line) => line["type"] === "user").map((line) => line["tool_use_result"]),
    ).toEqual([
      "mcp__my_git__log ran with {}",
      "Error: No such tool available: mcp__db__ask",
      "Error: No such tool available: mcp__other__ask",
    ]);
  });
});
