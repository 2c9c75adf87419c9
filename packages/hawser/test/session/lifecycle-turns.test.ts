import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { until } from "../support/proc.js";
import { answered, asksFor, lifecycle, open, received, start } from "./fake.helper.js";

const QUICK = { closeGraceMs: 50 };

describe("a request of the CLI", () => {
  it("is served before initialize has an answer", async () => {
    const steps = [
      { on: "initialize", do: [{ emit: asksFor("early") }] },
      { on: "response", do: [{ emit: { type: "control_response" } }] },
    ] as const;
    const { session, cli } = await start(steps, {
      canUseTool: async () => ({ behavior: "allow" }),
    });
    await until(async () => (await answered(cli)).includes("early"));
    await session.kill();
  });
});

describe("a turn", () => {
  it("whose process dies is told how, with what it had come to", async () => {
    const { session } = await open([
      {
        on: "user",
        do: [{ init: {} }, { assistant: "half" }, { stderr: "oh\n" }, { die: "SIGKILL" }],
      },
    ]);
    const turn = session.send("go");
    await expect(turn.result).rejects.toMatchObject({
      code: "process_exited",
      signal: "SIGKILL",
      partialText: "half",
      sessionId: session.id,
      stderrTail: expect.stringContaining("oh"),
    });
    await expect(session.send("more").result).rejects.toMatchObject({ code: "process_exited" });
    await expect(session.idle()).rejects.toMatchObject({ code: "process_exited" });
  });

  it("whose process leaves in good order without a result is told so", async () => {
    const { session } = await open([{ on: "user", do: [{ init: {} }, { exit: 0 }] }]);
    await expect(session.send("go").result).rejects.toMatchObject({ code: "process_exited" });
  });

  it("whose prompt cannot be written is told so", async () => {
    const { session } = await open(
      [{ on: "control", do: [{ respond: {} }, { closeStdin: true }] }],
      QUICK,
    );
    await session.request("x");
    await expect(session.send("x".repeat(1_000_000)).result).rejects.toMatchObject({
      code: "closed",
    });
  });

  const broken = { write: '{"type":"result","result":"o\n' };
  const overlong = { write: `{"type":"result","result":"${"x".repeat(20_000)}"}\n` };

  it.each([
    ["broken", broken, "protocol_error"],
    ["too long", overlong, "message_too_large"],
  ])("whose result is %s ends all the same, and the session goes on", async (_, line, code) => {
    const uuid = randomUUID();
    const { session } = await open(
      [
        {
          on: "user",
          do: [
            lifecycle(uuid, "queued"),
            lifecycle(uuid, "started"),
            { init: {} },
            line,
            lifecycle(uuid, "completed"),
          ],
        },
      ],
      { maxLineBytes: 10_000 },
    );
    await expect(session.send("go", { uuid }).result).rejects.toMatchObject({ code });
    expect(await session.send("next").text()).toBe("ok");
  });

  it.each([
    ["broken", broken, "protocol_error"],
    ["too long", overlong, "message_too_large"],
  ])("of an older CLI whose result is %s ends with the process", async (_, line, code) => {
    const { session } = await open([{ on: "user", do: [{ init: {} }, line] }], {
      maxLineBytes: 10_000,
    });
    await expect(session.send("go").result).rejects.toMatchObject({ code });
  });

  it("is not told of a message that was lost long before", async () => {
    const uuid = randomUUID();
    const { session } = await open([
      {
        on: "user",
        do: [
          lifecycle(uuid, "started"),
          { init: {} },
          { write: '{"type":"assis\n' },
          { result: { result: "fine" } },
        ],
      },
      { on: "user", do: [{ init: {} }, { exit: 5 }] },
    ]);
    expect(await session.send("go", { uuid }).text()).toBe("fine");
    await expect(session.send("more").result).rejects.toMatchObject({
      code: "process_exited",
      exitCode: 5,
    });
  });

  it("survives messages of every wrong shape, and hands them on", async () => {
    const lines = [
      { type: "assistant" },
      { type: "assistant", message: { content: [null] } },
      { type: "user" },
      { type: "stream_event" },
      { type: "stream_event", event: { type: "message_start" } },
      { type: "system" },
      { type: "system", subtype: "background_tasks_changed" },
      { type: "rate_limit_event" },
      { type: "command_lifecycle" },
      { type: "never seen" },
      {},
    ];
    const { session } = await open(
      [
        {
          on: "user",
          do: [
            { init: {} },
            ...lines.map((emit) => ({ emit })),
            { assistant: "fine" },
            { result: { result: "fine" } },
          ],
        },
      ],
      { includePartialMessages: true },
    );
    const everything: unknown[] = [];
    const reading = (async () => {
      for await (const message of session) everything.push(message);
    })();
    expect(await session.send("go").text()).toBe("fine");
    await session.close();
    await reading;
    expect(everything.slice(1, -2)).toEqual(lines);
  });
});

describe("the first message's time limit", () => {
  it("still holds after the CLI has asked something before it", async () => {
    const { session } = await open(
      [{ on: "user", do: [{ init: {} }, { emit: asksFor("p") }, { hang: true }] }],
      {
        ...QUICK,
        timeouts: { firstMessageMs: 300 },
        canUseTool: async () => ({ behavior: "allow" }),
      },
    );
    await expect(session.send("go").result).rejects.toMatchObject({
      code: "timeout",
      phase: "firstMessage",
    });
  });
});

describe("a callback", () => {
  it("that throws what has no words denies all the same", async () => {
    const thrown: unknown = Object.create(null);
    const { session, cli } = await open(
      [{ on: "user", do: [{ init: {} }, { emit: asksFor("p") }, { hang: true }] }],
      {
        canUseTool: async () => {
          throw thrown;
        },
      },
    );
    session.send("go");
    await until(async () => (await answered(cli)).includes("p"));
    const answer = (await received(cli))?.lines.map((line) => JSON.parse(line)).at(-1);
    expect(answer).toMatchObject({
      response: { subtype: "success", request_id: "p", response: { behavior: "deny" } },
    });
  });
});
