import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { until } from "../support/proc.js";
import { answered, asksFor, lifecycle, open, received, start } from "./fake.helper.js";

const QUICK = { closeGraceMs: 50 };

describe("a control request of the CLI", () => {
  it("is answered before initialize has an answer", async () => {
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

describe("Turn", () => {
  it("rejects with process_exited and partialText when its process dies", async () => {
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

  it("rejects when its process exits with code 0 before a result", async () => {
    const { session } = await open([{ on: "user", do: [{ init: {} }, { exit: 0 }] }]);
    await expect(session.send("go").result).rejects.toMatchObject({ code: "process_exited" });
  });

  it("rejects when its prompt cannot be written", async () => {
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
  ])("ends although its result is %s, and the session continues", async (_, line, code) => {
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
  ])("ends with the process of an older CLI if its result is %s", async (_, line, code) => {
    const { session } = await open([{ on: "user", do: [{ init: {} }, line] }], {
      maxLineBytes: 10_000,
    });
    await expect(session.send("go").result).rejects.toMatchObject({ code });
  });

  it("does not fail because of a message that was lost in an earlier turn", async () => {
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

  it("yields messages of every wrong shape", async () => {
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

describe("firstMessageMs", () => {
  it("still applies after a control request of the CLI", async () => {
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

describe("canUseTool", () => {
  it("denies when it throws a value that has no text", async () => {
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
