import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type CanUseTool,
  createSdkMcpServer,
  type Options,
  type SDKMessage,
  tool,
} from "../../src/index.js";
import { type Action, type Step, text, toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { until } from "../support/proc.js";
import {
  asks,
  clisOf,
  collect,
  fakeQuery,
  Input,
  kinds,
  messagesOf,
  realQuery,
  state,
  task,
  tasks,
} from "./query.helper.js";

const canUseTool: CanUseTool = async (_, input) => ({ behavior: "allow", updatedInput: input });
const ANSWERS: Options = { canUseTool };

const init: Action = { init: {} };
const result: Action = { result: {} };
/** Shows in the messages when the CLI saw the end of its input. */
const ENDED: Step = { on: "eof", do: [{ emit: { type: "ended" } }, { exit: 0 }] };
/** Shows when it got an answer, and what it does then. */
const answered = (...more: Action[]): Step => ({
  on: "response",
  do: [{ emit: { type: "answered" } }, ...more],
});
const turn = (...steps: Action[]): Step => ({ on: "user", do: steps });

/** Less what is only said about tasks. */
async function story(q: AsyncIterable<SDKMessage>): Promise<string[]> {
  const { messages, error } = await collect(q);
  expect(error).toBeUndefined();
  return kinds(messages).filter((kind) => !kind.includes("task"));
}

describe("the input of query() without callbacks", () => {
  it("ends at the first result of a string", async () => {
    const { q } = await fakeQuery([
      turn(state("running"), init, tasks("a"), result, state("idle")),
      ENDED,
    ]);
    expect(await story(q)).toEqual(["system/init", "result/success", "ended"]);
  });

  it("ends with its iterable, before any output", async () => {
    const { q, cli } = await fakeQuery([turn({ hang: true })], {}, messagesOf("one"));
    await until(async () => (await cli.recorded()).some(({ eof }) => eof));
    await q.return();
    expect(clisOf(cli.path)).toEqual([]);
  });

  it("stays open as long as its iterable", async () => {
    const input = new Input("one");
    const { q } = await fakeQuery([ENDED], {}, input);
    const seen: string[] = [];
    await collect(q, (message) => {
      seen.push(...kinds([message]));
      if (message.type !== "result") return;
      if (seen.filter((kind) => kind.startsWith("result")).length === 2) input.end();
      else input.push("two");
    });
    const once = ["system/init", "assistant", "result/success"];
    expect(seen).toEqual([...once, ...once, "ended"]);
  });
});

describe("the input of query() with callbacks", () => {
  const background = [init, tasks("a"), result];
  /** After the answer the task ends, and with it the input. An exit in its place would race with other answers. */
  const DONE = answered(task("task_notification", "a"), init, result);
  const ANSWERED = ["system/init", "result/success", "answered"];

  it("stays open while background work may need an answer, by state lines", async () => {
    const own = [state("running"), init, result, state("idle")] as const;
    const { q } = await fakeQuery(
      [
        turn(state("running"), ...background, state("idle"), asks("1")),
        answered(tasks(), task("task_notification", "a"), ...own),
        ENDED,
      ],
      ANSWERS,
    );
    expect(await story(q)).toEqual([
      "system/init",
      "result/success",
      "answered",
      "system/init",
      "result/success",
      "ended",
    ]);
  });

  it("stays open while background work may need an answer, by task lines", async () => {
    const { q } = await fakeQuery(
      [
        turn(init, task("task_started", "a"), result, asks("1")),
        answered(task("task_notification", "a"), init, asks("2")),
        answered(result),
        ENDED,
      ],
      ANSWERS,
    );
    expect(await story(q)).toEqual([
      "system/init",
      "result/success",
      "answered",
      "system/init",
      "answered",
      "result/success",
      "ended",
    ]);
  });

  it.each([
    ["hooks", { hooks: { Stop: [{ hooks: [async () => ({})] }] } }],
    ["elicitation", { onElicitation: async () => ({ action: "decline" }) }],
    ["a server", { mcpServers: { s: createSdkMcpServer({ name: "s" }) } }],
    ["rules", { rules: [{ tool: "Bash", decision: "allow" }] }],
  ] as [string, Options][])("stays open during background work with %s", async (_, options) => {
    const { q } = await fakeQuery(
      [turn(init, task("task_started", "a"), result, asks("1")), DONE, ENDED],
      options,
    );
    expect(await story(q)).toEqual([...ANSWERED, "system/init", "result/success", "ended"]);
  });

  it("stays open during background work with a server of setMcpServers()", async () => {
    const input = new Input();
    const { q } = await fakeQuery(
      [turn(init, task("task_started", "a"), result, asks("1")), DONE, ENDED],
      {},
      input,
    );
    await q.setMcpServers({ s: createSdkMcpServer({ name: "s" }) });
    input.push("go");
    input.end();
    expect(await story(q)).toEqual([...ANSWERED, "system/init", "result/success", "ended"]);
  });

  it("stays open for a second prompt after the result of the first", async () => {
    const { q } = await fakeQuery(
      [
        turn(init, result),
        turn({ sleep: 300 }, init, asks("1"), { hang: true }),
        answered({ exit: 0 }),
      ],
      ANSWERS,
      messagesOf("one", "two"),
    );
    expect(await story(q)).toEqual(["system/init", "result/success", "system/init", "answered"]);
  });

  it("ends after a while if one result answers several prompts", async () => {
    const together = [turn(init, result), turn(), turn(), ENDED];
    const { q } = await fakeQuery(together, ANSWERS, messagesOf("one", "two", "three"));
    expect(await story(q)).toEqual(["system/init", "result/success", "ended"]);
  });

  it("ends when no turn follows ended background work", async () => {
    const { q } = await fakeQuery(
      [turn(init, task("task_started", "a"), result, task("task_notification", "a")), ENDED],
      ANSWERS,
    );
    expect(await story(q)).toEqual(["system/init", "result/success", "ended"]);
  });
});

describe("query() after the end of the input", () => {
  it("ends an idle CLI that does not exit, but not a CLI that still works", async () => {
    const stays = await fakeQuery([{ on: "eof", times: "always", do: [] }]);
    const longer: Step = { on: "eof", do: [init, { sleep: 11_000 }, result, { exit: 0 }] };
    const works = await fakeQuery([longer]);
    const [stayed, worked] = await Promise.all([story(stays.q), story(works.q)]);
    expect(stayed).toEqual(["system/init", "assistant", "result/success"]);
    expect(worked).toEqual([...stayed, "system/init", "result/success"]);
    await until(() => clisOf(stays.cli.path).length === 0);
  });
});

describe.each(clisInTurn())("query() on $name", ({ path }) => {
  const waits = toolUse("Bash", { command: "mkfifo pipe; cat pipe", run_in_background: true });

  it("answers permission requests of a turn that the CLI begins by itself", async () => {
    const asked: string[] = [];
    const { q, cwd } = await realQuery(
      path,
      [waits, text("started"), toolUse("Write", { file_path: "made", content: "x" }), text("done")],
      {
        canUseTool: async (name, input) => {
          asked.push(name);
          return { behavior: "allow", updatedInput: input };
        },
      },
    );
    let results = 0;
    const { error } = await collect(q, ({ type }) => {
      if (type === "result") results += 1;
      if (type === "result" && results === 1) writeFileSync(join(cwd, "pipe"), "the end\n");
    });
    expect([asked, results, error]).toEqual([["Bash", "Write"], 2, undefined]);
    expect(existsSync(join(cwd, "made"))).toBe(true);
    expect(clisOf(path)).toEqual([]);
  });

  it("serves a server of setMcpServers() in a turn that the CLI begins by itself", async () => {
    let calls = 0;
    const say = tool("say", "Says.", {}, async () => {
      calls += 1;
      return { content: [{ type: "text", text: "said" }] };
    });
    const server = createSdkMcpServer({ name: "s", tools: [say], alwaysLoad: true });
    const input = new Input();
    const { q, cwd } = await realQuery(
      path,
      [waits, text("started"), toolUse("mcp__s__say"), text("done")],
      { allowedTools: ["Bash", "mcp__s__say"] },
      input,
    );
    expect(await q.setMcpServers({ s: server })).toMatchObject({ added: ["s"] });
    input.push("go");
    input.end();
    let results = 0;
    await collect(q, ({ type }) => {
      if (type === "result") results += 1;
      if (type === "result" && results === 1) writeFileSync(join(cwd, "pipe"), "the end\n");
    });
    expect([results, calls]).toEqual([2, 1]);
  });

  it("answers permission requests of each of several prompts", async () => {
    const write = toolUse("Write", { file_path: "made", content: "x" });
    const { q, cwd } = await realQuery(
      path,
      [text("one"), write, text("two")],
      ANSWERS,
      messagesOf("first", "second"),
    );
    const { messages } = await collect(q);
    expect(kinds(messages).filter((kind) => kind.startsWith("result"))).toHaveLength(2);
    expect(existsSync(join(cwd, "made"))).toBe(true);
  });
});
