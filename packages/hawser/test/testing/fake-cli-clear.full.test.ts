import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  type Action,
  always,
  fakeCli,
  isolatedEnv,
  type Scenario,
  SimulatedModel,
} from "../../src/testing/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { CliProcess, type Line, STREAM_JSON } from "./cli-process.helper.js";

const PATH = process.env["PATH"] ?? "";
const WITH_STATES = { CLAUDE_CODE_SDK_READS_SESSION_STATE: "1" };

async function play(scenario: Scenario, env: Readonly<Record<string, string>> = {}) {
  const cli = await fakeCli(scenario);
  const run = new CliProcess(cli.path, STREAM_JSON, { env: { PATH, ...env } });
  const dispose = async () => {
    await run[Symbol.asyncDispose]();
    await cli.dispose();
  };
  return { run, [Symbol.asyncDispose]: dispose };
}

function prompt(content: unknown, fields: Line = { uuid: randomUUID() }): Line {
  return { type: "user", ...fields, message: { role: "user", content } };
}

/** Sends a prompt and returns the lines up to its result, or up to the idle state after it. */
async function exchange(run: CliProcess, line: Line, states: boolean): Promise<readonly Line[]> {
  const from = run.lines.length;
  const isLast = (each: Line) => (states ? each["state"] === "idle" : each["type"] === "result");
  run.send(line);
  const last = await run.line(isLast, from);
  return run.lines.slice(from, run.lines.indexOf(last) + 1);
}

const kind = (line: Line) => line["subtype"] ?? line["state"] ?? line["type"];
const kinds = (lines: readonly Line[]) => lines.map(kind);

describe.each(clisInTurn())(
  "fakeCli() reset compared with the real CLI $name",
  ({ name, path }) => {
    const states = path === NEWEST_CLI;

    it("prints the same lines", async () => {
      await using model = await SimulatedModel.start({ replies: always("Hello.") });
      await using place = await isolatedEnv({ baseUrl: model.url, extra: WITH_STATES });
      await using real = new CliProcess(path, [...STREAM_JSON, "--tools="], place);
      const asked = prompt("a");
      const reset = prompt("/clear");
      const first = await exchange(real, asked, states);
      const expected = await exchange(real, reset, states);

      const { total_cost_usd, modelUsage } = first.find((line) => line["type"] === "result") ?? {};
      expect(total_cost_usd).toBeGreaterThan(0);
      const turn: Action[] = [{ init: {} }, { result: { total_cost_usd, modelUsage } }];
      await using fake = await play(
        { version: `${name} (Claude Code)`, steps: [{ on: "user", do: turn }] },
        WITH_STATES,
      );
      await exchange(fake.run, asked, false);
      const lines = await exchange(fake.run, reset, states);

      expect(kinds(lines)).toEqual(kinds(expected));
      const wanted = comparable(expected);
      for (const [n, line] of comparable(lines).entries()) {
        if (line["subtype"] === "init") expect(Object.keys(wanted[n] ?? {})).toEqual(anyOf(line));
        else expect(wanted[n]).toMatchObject(line);
      }
      expect(await fake.run.turn("next")).toMatchObject([
        ...(states ? [{ state: "running" }] : []),
        { subtype: "init", session_id: lines.at(-1)?.["session_id"] },
        { type: "assistant", session_id: lines.at(-1)?.["session_id"] },
        { total_cost_usd: states ? 0 : total_cost_usd },
      ]);
    });
  },
);

/** Without the values that differ from run to run. A session id is replaced by the order of its first appearance. */
function comparable(lines: readonly Line[]): readonly Line[] {
  const sessions = [...new Set(lines.map((line) => line["session_id"]))];
  return lines.map((line) => {
    const { uuid, timestamp, duration_ms, duration_api_ms, new_conversation_id, ...rest } = line;
    const { id, ...message } = Object(rest["message"]) as Line;
    return {
      ...rest,
      ...(id === undefined ? {} : { message }),
      session_id: sessions.indexOf(line["session_id"]),
      ...(new_conversation_id === undefined ? {} : { named: new_conversation_id === uuid }),
    };
  });
}

const anyOf = (line: Line) => expect.arrayContaining(Object.keys(line));

describe("fakeCli() reset prompt", () => {
  const echo: Scenario["steps"] = [{ on: "user", times: "always", do: [{ turnEcho: true }] }];
  const block = (text: string) => ({ type: "text", text });

  it.each<[unknown]>([
    ["/clear"],
    ["/clear a name"],
    ["/reset"],
    ["/new"],
    ["/new\n"],
    [[block("/clear")]],
    [[block("before"), block("/clear")]],
  ])("resets the conversation for %j", async (content) => {
    await using fake = await play({ steps: echo });
    expect((await fake.run.turn("one")).at(-1)).toMatchObject({ result: "one" });
    expect((await fake.run.turn("two")).at(-1)).toMatchObject({ result: "one\ntwo" });
    const [before] = fake.run.lines;
    const lines = await exchange(fake.run, prompt(content), false);
    expect(lines.at(-1)).toMatchObject({ num_turns: 0, result: "", result_index: 2 });
    const after = (await fake.run.turn("three")).at(-1);
    expect(after).toMatchObject({ result: "three", session_id: lines.at(-1)?.["session_id"] });
    expect(after?.["session_id"]).not.toBe(before?.["session_id"]);
  });

  it.each([
    [" /clear", {}],
    ["/clearly", {}],
    ["/CLEAR", {}],
    [[block("/clear"), block("after")], {}],
    ["/clear", { client_composed: true }],
  ])("does not reset for %j with %j", async (content, fields) => {
    await using fake = await play({ steps: echo });
    await fake.run.turn("one");
    const lines = await exchange(fake.run, prompt(content, fields), false);
    const text = typeof content === "string" ? content : "/clear\nafter";
    expect(lines.at(-1)).toMatchObject({ num_turns: 1, result: `one\n${text}` });
  });

  it("resets in any form before 2.1.325", async () => {
    await using fake = await play({ version: "2.1.197 (Claude Code)" });
    const lines = await exchange(fake.run, prompt("/clear", { client_composed: true }), false);
    expect(kinds(lines)).toEqual(["init", "assistant", "success"]);
  });

  it("prints no lifecycle without a uuid, and no states unless asked for", async () => {
    await using fake = await play({});
    await exchange(fake.run, prompt("/clear", {}), false);
    await fake.run.turn("after");
    expect(kinds(fake.run.lines)).toEqual([
      "conversation_reset",
      "background_tasks_changed",
      "init",
      "success",
      "init",
      "assistant",
      "success",
    ]);
  });

  it("is handled after the prompt before it, and before the prompt behind it", async () => {
    await using fake = await play({
      steps: [{ on: "user", do: [{ sleep: 100 }, { turnEcho: true }] }, ...echo],
    });
    for (const text of ["one", "/clear", "two"]) fake.run.send(prompt(text));
    await fake.run.end();
    await fake.run.closed;
    const results = fake.run.lines.filter((line) => line["type"] === "result");
    expect(results.map((line) => line["result"])).toEqual(["one", "", "two"]);
  });
});

describe("fakeCli() reset by a scenario", () => {
  async function reset(...actions: Action[]) {
    await using fake = await play({
      steps: [
        { on: "clear", do: actions },
        { on: "user", times: "always", do: [{ turnEcho: true }] },
      ],
    });
    const before = (await fake.run.turn("secret")).at(-1)?.["session_id"];
    const lines = await exchange(fake.run, prompt("/clear"), false);
    const after = (await fake.run.turn("next")).at(-1);
    return {
      result: lines.at(-1),
      kinds: kinds(lines),
      sameSession: after?.["session_id"] === before,
      leaks: String(after?.["result"]).includes("secret"),
    };
  }

  it("can report an error and keep the conversation", async () => {
    const played = await reset({ clear: { num_turns: 1, result: "no" } });
    expect(played).toMatchObject({ sameSession: false, leaks: true });
    expect(played.result).toMatchObject({ num_turns: 1, result: "no", local_command: "clear" });
  });

  it("can keep the session id", async () => {
    const played = await reset({ clear: {}, keepSession: true });
    expect(played).toMatchObject({ sameSession: true, leaks: true, result: { num_turns: 0 } });
  });

  it("can omit conversation_reset", async () => {
    const played = await reset({ clear: {}, announce: false });
    expect(played).toMatchObject({ sameSession: false, leaks: true });
    expect(played.kinds).not.toContain("conversation_reset");
  });

  it("can forget or keep the conversation, whatever it reports", async () => {
    expect(await reset({ clear: {}, forget: false })).toMatchObject({ leaks: true });
    expect(await reset({ clear: { num_turns: 1 }, forget: true })).toMatchObject({ leaks: false });
  });

  it("can be handled like a prompt", async () => {
    const played = await reset({ turn: "What is /clear?" });
    expect(played).toMatchObject({ sameSession: true, leaks: true });
  });

  it("without changes is the default reset", async () => {
    const played = await reset({ default: true });
    expect(played).toMatchObject({ sameSession: false, leaks: false });
  });

  it("exits with 1 if its result is an error", async () => {
    await using fake = await play({
      steps: [{ on: "clear", do: [{ clear: { is_error: true } }] }],
    });
    await exchange(fake.run, prompt("/clear"), false);
    expect(await fake.run.end()).toEqual({ code: 1, signal: null });
  });
});
