import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { type Replay, type ReplayOptions, record, replay } from "../../src/testing/index.js";
import { NEWEST_CLI } from "../support/cli.js";
import {
  cassette,
  type Entry,
  eof,
  exit,
  HEADER,
  ownFile,
  ownPath,
  printed,
  sent,
  start,
} from "./cassette-file.helper.js";
import { CliProcess, type Line, STREAM_JSON } from "./cli-process.helper.js";

const ENV = { PATH: process.env["PATH"] ?? "" };

function run(cli: Replay, args: readonly string[] = STREAM_JSON): Host {
  return new Host(cli.path, args, { env: ENV });
}

class Host extends CliProcess {
  /** Sends a prompt of the cassettes of this file, and returns the lines up to its result. */
  async ask(content: string): Promise<readonly Line[]> {
    const from = this.lines.length;
    this.send(user(content));
    const result = await this.line(({ type }) => type === "result", from);
    return this.lines.slice(from, this.lines.indexOf(result) + 1);
  }
}

async function ending(host: CliProcess) {
  const end = await host.exit;
  await host.closed;
  return { ...end, stderr: host.stderr };
}

const begun = start(...STREAM_JSON);
const user = (content: string, uuid?: string) => ({
  type: "user",
  message: { role: "user", content },
  ...(uuid === undefined ? {} : { uuid }),
});
const request = (request_id: string, subtype: string, fields: Entry = {}) => ({
  type: "control_request",
  request_id,
  request: { subtype, ...fields },
});
const response = (request_id: string, payload: unknown = {}) => ({
  type: "control_response",
  response: { subtype: "success", request_id, response: payload },
});
const result = (text: string) => ({ type: "result", subtype: "success", result: text });
const strict: ReplayOptions = { mode: "strict" };
const loose: ReplayOptions = { mode: "loose" };

describe("replay()", () => {
  it("prints the recorded version as often as it is asked", async () => {
    await using cli = await replay(await cassette([begun, exit(0)]));
    for (const flag of ["-v", "--version", "-v"]) {
      await using host = run(cli, [flag]);
      expect(await ending(host)).toEqual({ code: 0, signal: null, stderr: "" });
      expect(host.stdout.toString()).toBe("2.1.325 (Claude Code)\n");
    }
  });

  it("prints the output after a line only when that line has arrived", async () => {
    const file = await cassette([
      begun,
      printed({ type: "hello" }),
      sent(user("one")),
      printed(result("first")),
      sent(user("two")),
      printed(result("second")),
      eof,
      exit(0),
    ]);
    for (const mode of [strict, loose]) {
      await using cli = await replay(file, mode);
      await using host = run(cli);
      await host.line(({ type }) => type === "hello");
      expect(host.lines).toHaveLength(1);
      expect(await host.ask("one")).toEqual([result("first")]);
      expect(host.lines).toHaveLength(2);
      expect(await host.ask("two")).toEqual([result("second")]);
      expect(await host.end()).toEqual({ code: 0, signal: null });
    }
  });

  it("plays a take to one process, and reports when no take is left", async () => {
    const file = await cassette(
      [begun, sent(user("a")), printed(result("first")), eof, exit(0)],
      [begun, sent(user("a")), printed(result("second")), eof, exit(5)],
    );
    for (const mode of [strict, loose]) {
      await using cli = await replay(file, mode);
      for (const [text, code] of [
        ["first", 0],
        ["second", 5],
      ] as const) {
        await using host = run(cli);
        expect(await host.ask("a")).toEqual([result(text)]);
        expect(await host.end()).toEqual({ code, signal: null });
      }
      await using host = run(cli);
      const message = "there is no further conversation in the cassette, which has 2 takes";
      expect(await ending(host)).toEqual({
        code: 70,
        signal: null,
        stderr: `hawser cassette: ${message}\n`,
      });
      expect(await cli.mismatches()).toEqual([{ take: null, line: null, message }]);
      await cli.dispose();
      expect(await cli.mismatches()).toEqual([{ take: null, line: null, message }]);
    }
  });

  it("gives a process the take with the same arguments", async () => {
    const file = await cassette(
      [start(...STREAM_JSON, "--model=a"), printed({ type: "a" }), exit(0)],
      [start(...STREAM_JSON, "--model=b"), printed({ type: "b" }), exit(0)],
    );
    for (const mode of [strict, loose]) {
      await using cli = await replay(file, mode);
      for (const model of ["b", "a"]) {
        await using host = run(cli, [...STREAM_JSON, `--model=${model}`]);
        await host.closed;
        expect(host.lines).toEqual([{ type: model }]);
      }
    }
  });

  it("replaces recorded ids by the ids of the host", async () => {
    const id = "11111111-2222-4333-8444-555555555555";
    const file = await cassette([
      start(...STREAM_JSON, `--session-id=${id}`),
      sent(request("recorded", "initialize")),
      sent(user("a", "22222222-2222-4333-8444-555555555555")),
      printed(response("recorded", { pid: 1 })),
      printed({
        type: "command_lifecycle",
        command_uuid: "22222222-2222-4333-8444-555555555555",
        session_id: id,
        transcript: `/x/${id}.jsonl`,
      }),
      printed(result("recorded")),
      eof,
      exit(0),
    ]);
    for (const mode of [strict, loose]) {
      await using cli = await replay(file, mode);
      await using host = run(cli, [...STREAM_JSON, "--session-id=my-session-of-my-own"]);
      host.send(request("my-request", "initialize"));
      host.send(user("a", "my-prompt"));
      await host.line(({ type }) => type === "result");
      expect(host.lines).toEqual([
        response("my-request", { pid: host.child.pid }),
        {
          type: "command_lifecycle",
          command_uuid: "my-prompt",
          session_id: "my-session-of-my-own",
          transcript: "/x/my-session-of-my-own.jsonl",
        },
        result("recorded"),
      ]);
      expect(await host.end()).toEqual({ code: 0, signal: null });
    }
  });

  it.each([
    ["in a turn", [sent(user("a")), printed({ type: "assistant" })], 4],
    ["before an answer", [sent(request("r1", "one"))], 3],
  ])(
    "of a take whose recorder was killed %s plays the recorded part, and reports the end",
    async (_, entries, line) => {
      const file = await cassette([begun, ...entries]);
      const message = `the recording ends at line ${line}; its recorder was killed, or the file is cut`;
      for (const mode of [strict, loose]) {
        await using cli = await replay(file, mode);
        await using host = run(cli);
        host.send(entries[0]?.["json"] as Line);
        expect(await host.exit).toEqual({ code: 70, signal: null });
        await host.closed;
        expect(host.stderr).toBe(`hawser cassette: take 1: ${message}\n`);
        expect(await cli.mismatches()).toEqual([{ take: 1, line, message }]);
        expect(host.lines.filter(({ type }) => type === "assistant")).toHaveLength(line - 3);
      }
    },
  );

  it("of a take whose recorder was killed when idle reports the end to the next prompt", async () => {
    const file = await cassette([begun, sent(user("a")), printed(result("done"))]);
    for (const mode of [strict, loose]) {
      await using cli = await replay(file, mode);
      await using host = run(cli);
      expect(await host.ask("a")).toEqual([result("done")]);
      host.send(user("b"));
      expect(await ending(host)).toMatchObject({
        code: 70,
        stderr: expect.stringContaining("take 1: the recording ends at line 4;"),
      });
    }
  });

  it("of a take whose recorder was killed when idle lives until its input ends", async () => {
    const file = await cassette([begun, sent(user("a")), printed(result("done"))]);
    for (const mode of [strict, loose]) {
      await using cli = await replay(file, mode);
      await using host = run(cli);
      expect(await host.ask("a")).toEqual([result("done")]);
      expect(await host.end()).toEqual({ code: 0, signal: null });
    }
  });

  it.runIf(process.platform !== "win32")("exits on a signal that was not recorded", async () => {
    const file = await cassette([begun, printed({ type: "hello" }), sent(user("a")), eof, exit(0)]);
    for (const mode of [strict, loose]) {
      await using cli = await replay(file, mode);
      await using host = run(cli);
      await host.line(({ type }) => type === "hello");
      host.child.kill("SIGTERM");
      expect(await host.exit).toEqual({ code: 143, signal: null });
    }
  });
});

it.runIf(process.platform !== "win32")("replay() continues after a recorded signal", async () => {
  const file = await cassette([
    begun,
    printed({ type: "hello" }),
    sent(user("never asked now")),
    printed({ type: "skipped" }),
    { kind: "signal", signal: "SIGTERM" },
    printed({ type: "bye" }),
    exit(9),
  ]);
  for (const mode of [strict, loose]) {
    await using cli = await replay(file, mode);
    await using host = run(cli);
    await host.line(({ type }) => type === "hello");
    host.child.kill("SIGTERM");
    expect(await ending(host)).toEqual({ code: 9, signal: null, stderr: "" });
    expect(host.lines).toEqual([{ type: "hello" }, { type: "bye" }]);
  }
});

describe("replay() in strict mode", () => {
  const file = () =>
    cassette([
      begun,
      sent(request("r", "initialize", { hooks: { a: 1, b: [1, 2] } })),
      printed(response("r")),
      printed(request("p", "can_use_tool")),
      printed(request("q", "can_use_tool")),
      sent(response("p", { behavior: "allow" })),
      sent(response("q", { behavior: "deny" })),
      sent(user("a")),
      printed(result("done")),
      eof,
      exit(0),
    ]);
  const initialize = request("mine", "initialize", { hooks: { b: [1, 2], a: 1 } });

  it("reports no mismatch for the same lines, in any order of keys and answers", async () => {
    await using cli = await replay(await file());
    await using host = run(cli);
    host.send(initialize);
    await host.line(({ request_id }) => request_id === "q");
    host.send(response("q", { behavior: "deny" }));
    host.send(response("p", { behavior: "allow" }));
    expect(await host.ask("a")).toEqual([result("done")]);
    expect(await host.end()).toEqual({ code: 0, signal: null });
    expect(await cli.mismatches()).toEqual([]);
  });

  it.each([
    [
      "another value",
      [request("mine", "initialize", { hooks: { a: 1, b: [1, 3] } })],
      { line: 3, path: "request.hooks.b[1]", message: "request.hooks.b[1] was 2 and is now 3" },
    ],
    [
      "a field more",
      [request("mine", "initialize", { hooks: { a: 1, b: [1, 2] }, more: "x" })],
      { line: 3, path: "request.more", message: 'request.more was absent and is now "x"' },
    ],
    ["another type", [user("a")], { line: 3, path: "type" }],
    ["no JSON", ["nonsense"], { line: 3, path: "" }],
    [
      "another answer",
      [initialize, response("q", { behavior: "deny" }), response("p", { behavior: "deny" })],
      { line: 7, path: "response.response.behavior" },
    ],
    [
      "an answer to nothing",
      [initialize, response("never-asked")],
      { line: 7, message: expect.stringContaining("a request that was never made") },
    ],
  ] as const)("exits at %s", async (_, lines, mismatch) => {
    await using cli = await replay(await file());
    await using host = run(cli);
    for (const line of lines) {
      host.send(line);
      if (line === initialize) await host.line(({ request_id }) => request_id === "q");
    }
    const { code, stderr } = await ending(host);
    const [found, ...others] = await cli.mismatches();
    expect(others).toEqual([]);
    expect(found).toMatchObject({ take: 1, ...mismatch });
    expect(code).toBe(70);
    expect(stderr).toBe(`hawser cassette: take 1: line ${mismatch.line}: ${found?.message}\n`);
  });

  it("exits at an end of input that comes too early", async () => {
    await using cli = await replay(await file());
    await using host = run(cli);
    host.send(initialize);
    host.child.stdin?.end();
    expect(await ending(host)).toMatchObject({
      code: 70,
      stderr:
        'hawser cassette: take 1: line 7: the host sent "control_response" (success) here, and now it ended its input\n',
    });
  });

  it("exits at an additional prompt", async () => {
    await using cli = await replay(await cassette([begun, eof, exit(0)]));
    await using host = run(cli);
    host.send(user("a"));
    expect(await ending(host)).toMatchObject({
      code: 70,
      stderr:
        'hawser cassette: take 1: line 3: the host\'s input ended here, and now the host sent "user"\n',
    });
  });

  it("exits at another argument, but not at another path of a file", async () => {
    const args = [...STREAM_JSON, "--settings", "/tmp/abc/settings.json"];
    const file = await cassette([start(...args), exit(0)], [start(...args), exit(0)]);
    await using cli = await replay(file);
    await using same = run(cli, [...STREAM_JSON, "--settings", "/tmp/xyz/settings.json"]);
    expect(await ending(same)).toMatchObject({ code: 0, stderr: "" });
    await using other = run(cli, [...STREAM_JSON, "--model=sonnet", "--brief"]);
    expect(await ending(other)).toMatchObject({
      code: 70,
      stderr:
        "hawser cassette: take 2: line 4: --settings=<file settings.json> is missing, --model=sonnet is new, --brief is new\n",
    });
    expect(await cli.mismatches()).toMatchObject([{ take: 2, line: 4, path: "--settings" }]);
  });

  it("exits at arguments in another order", async () => {
    const file = await cassette([start(...STREAM_JSON, "--a=1", "--b=2"), exit(0)]);
    await using cli = await replay(file);
    await using other = run(cli, [...STREAM_JSON, "--b=2", "--a=1"]);
    expect(await ending(other)).toMatchObject({
      code: 70,
      stderr: expect.stringContaining('argv[5] was "--a=1" and is now "--b=2"'),
    });
  });
});

describe("replay() in loose mode", () => {
  it("answers control requests at any time, and unknown requests with an empty success", async () => {
    const file = await cassette([
      begun,
      sent(request("a", "initialize")),
      sent(user("one")),
      printed(response("a", { first: true })),
      printed(result("first")),
      sent(request("b", "mcp_status")),
      printed(response("b", { mcpServers: [] })),
      sent(user("two")),
      printed(result("second")),
      eof,
      exit(0),
    ]);
    await using cli = await replay(file, loose);
    await using host = run(cli);
    const control = async (id: string, subtype: string) => {
      host.send(request(id, subtype));
      return host.line(({ response }) => (response as Entry | undefined)?.["request_id"] === id);
    };
    // Before the prompt, though the recorded CLI answered after it.
    expect(await control("1", "initialize")).toEqual(response("1", { first: true }));
    expect(await control("2", "get_settings")).toEqual(response("2"));
    expect(await control("3", "mcp_status")).toEqual(response("3", { mcpServers: [] }));
    expect(await host.ask("x")).toEqual([result("first")]);
    expect(await host.ask("y")).toEqual([result("second")]);
    expect(await control("4", "mcp_status")).toEqual(response("4", { mcpServers: [] }));
    expect(await host.end()).toEqual({ code: 0, signal: null });
  });

  it("does not wait in a turn for a request that the host does not make", async () => {
    const file = await cassette([
      begun,
      sent(user("one")),
      printed({ type: "assistant" }),
      sent(request("b", "get_context_usage")),
      printed(response("b")),
      printed(result("done")),
      eof,
      exit(0),
    ]);
    await using cli = await replay(file, loose);
    await using host = run(cli);
    expect(await host.ask("x")).toEqual([{ type: "assistant" }, result("done")]);
    expect(await host.end()).toEqual({ code: 0, signal: null });
  });

  it("waits for an interrupt, and exits when the host continues without it", async () => {
    const file = await cassette(
      ...[1, 2].map(() => [
        begun,
        sent(user("one")),
        printed({ type: "assistant" }),
        sent(request("b", "interrupt")),
        printed(response("b", { still_queued: [] })),
        printed(result("interrupted")),
        sent(user("two")),
        printed(result("second")),
        eof,
        exit(0),
      ]),
    );
    await using cli = await replay(file, loose);
    {
      await using host = run(cli);
      host.send(user("x"));
      await host.line(({ type }) => type === "assistant");
      host.send(request("mine", "interrupt"));
      await host.line(({ type }) => type === "result");
      expect(host.lines.slice(1)).toEqual([
        response("mine", { still_queued: [] }),
        result("interrupted"),
      ]);
      expect(await host.ask("y")).toEqual([result("second")]);
      expect(await host.end()).toEqual({ code: 0, signal: null });
    }
    await using host = run(cli);
    host.send(user("x"));
    host.send(user("y"));
    expect(await ending(host)).toMatchObject({
      code: 70,
      stderr: 'hawser cassette: take 2: line 15: the host sent a prompt instead of "interrupt"\n',
    });
  });

  it("exits at an additional prompt, and accepts a missing last prompt", async () => {
    const take = [begun, sent(user("a")), printed(result("done")), sent(user("b")), eof, exit(0)];
    await using cli = await replay(await cassette(take, [begun, eof, exit(0)]), loose);
    {
      await using host = run(cli);
      expect(await host.ask("x")).toEqual([result("done")]);
      expect(await host.end()).toEqual({ code: 0, signal: null });
    }
    await using host = run(cli);
    host.send(user("x"));
    const message = "the host sent one prompt more than there is in this take";
    expect(await ending(host)).toMatchObject({ code: 70 });
    expect(await cli.mismatches()).toEqual([{ take: 2, line: null, message }]);
  });

  it("calls a hook by the host's callback id, and skips hooks that the host does not have", async () => {
    const call = (id: string, callback_id: string) => request(id, "hook_callback", { callback_id });
    const hooks = {
      PreToolUse: [{ matcher: "Bash", hookCallbackIds: ["h0", "h1"] }],
      Stop: [{ hookCallbackIds: ["h2"] }],
    };
    const file = await cassette([
      begun,
      sent(request("a", "initialize", { hooks })),
      printed(response("a")),
      sent(user("a")),
      printed(call("1", "h0")),
      sent(response("1")),
      printed(call("2", "h1")),
      sent(response("2")),
      printed(call("3", "h2")),
      sent(response("3")),
      printed(result("done")),
      eof,
      exit(0),
    ]);
    await using cli = await replay(file, loose);
    await using host = run(cli);
    const mine = {
      Stop: [{ hookCallbackIds: ["my stop"] }],
      PreToolUse: [{ matcher: "Bash", hookCallbackIds: ["my guard"] }],
    };
    host.send(request("mine", "initialize", { hooks: mine }));
    host.send(user("x"));
    for (const [id, callback] of [
      ["1", "my guard"],
      ["3", "my stop"],
    ] as const) {
      expect(await host.line(({ request_id }) => request_id === id)).toEqual(call(id, callback));
      host.send(response(id));
    }
    await host.line(({ type }) => type === "result");
    expect(host.lines.map(({ request_id }) => request_id)).not.toContain("2");
    expect(await host.end()).toEqual({ code: 0, signal: null });
  });

  it("puts the host's prompt uuid into the result", async () => {
    const file = await cassette([begun, sent(user("a")), printed(result("done")), eof, exit(0)]);
    await using cli = await replay(file, loose);
    await using host = run(cli);
    host.send(user("x", "mine"));
    const line = await host.line(({ type }) => type === "result");
    expect(line).toEqual({ ...result("done"), user_message_uuids: ["mine"] });
  });
});

describe("replay() of an invalid cassette rejects before it starts a process", () => {
  const lines = (...entries: readonly unknown[]) =>
    entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  const first = { take: 1, ms: 0, ...begun };

  it.each([
    ["an empty file", "", /is not a cassette/],
    ["another file", "hello\n", /is not a cassette/],
    ["another format", lines({ ...HEADER, cassette: 2 }, first), /has format 2.*reads 1/],
    ["a header alone", lines(HEADER), /Nothing was recorded/],
    ["a header without a version", lines({ cassette: 1 }, first), /line 1: .*version/],
    ["a line that is cut off", lines(HEADER, first).slice(0, -9), /line 2: the file is cut off/],
    [
      "a last line end that is missing",
      lines(HEADER, first).slice(0, -1),
      /line 2: the file is cut off/,
    ],
    ["a line in the middle that is broken", `${lines(HEADER)}{"take":\n${lines(first)}`, /line 2/],
    ["an unknown kind", lines(HEADER, { ...first, kind: "toString" }), /line 2: .*toString/],
    ["an entry without a take", lines(HEADER, { ms: 0, ...begun }), /line 2: it has no take/],
    ["a take without a start", lines(HEADER, { take: 1, ms: 0, kind: "eof" }), /has no start/],
    ["a take that starts twice", lines(HEADER, first, first), /line 3: take 1 starts twice/],
    [
      "a take that goes on after its end",
      lines(HEADER, first, { take: 1, ms: 0, ...exit(0) }, { take: 1, ms: 0, ...eof }),
      /line 4: take 1 continues after its end/,
    ],
    [
      "a line of two contents",
      lines(HEADER, first, { take: 1, ms: 0, kind: "in", json: 1, text: "" }),
      /line 3/,
    ],
    ["an end without a code", lines(HEADER, first, { take: 1, ms: 0, kind: "exit" }), /line 3/],
  ])("%s", async (_, text, message) => {
    await expect(replay(await ownFile(text))).rejects.toMatchObject({
      name: "HawserError",
      code: "invalid_options",
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/\w/),
    });
  });

  it("a missing file, an unknown mode, a folder that cannot be written", async () => {
    const nowhere = await ownPath("not-there.jsonl");
    const refused = { code: "invalid_options" };
    await expect(replay(nowhere)).rejects.toMatchObject(refused);
    const file = await cassette([begun, exit(0)]);
    const mode = "lose" as "loose";
    await expect(replay(file, { mode })).rejects.toMatchObject(refused);
    const inFile = record({ file: `${file}/x.jsonl`, cliPath: NEWEST_CLI });
    await expect(inFile).rejects.toMatchObject(refused);
    expect(await readFile(file, "utf8")).toContain('"cassette":1');
    const noCli = record({ file: nowhere, cliPath: "/nowhere/claude" });
    await expect(noCli).rejects.toMatchObject({ code: "cli_not_found" });
  });
});
