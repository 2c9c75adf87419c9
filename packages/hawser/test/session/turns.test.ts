import { describe, expect, it } from "vitest";
import { hang, text, toolUse } from "../../src/testing/index.js";
import { isMessage, isResult, type Message } from "../../src/wire/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { open } from "../support/open-session.js";

describe.each(clisInTurn())("a session on $name", ({ path }) => {
  it("has ten turns over one process, each with its own answer", async () => {
    const replies = Array.from({ length: 10 }, (_, i) => text(`answer ${i}`));
    const { session, model } = await open(path, replies);
    const { pid, id } = session;
    const answers: string[] = [];
    for (let i = 0; i < 10; i++) answers.push(await session.send(`question ${i}`).text());
    expect(answers).toEqual(Array.from({ length: 10 }, (_, i) => `answer ${i}`));
    expect([session.pid, session.id]).toEqual([pid, id]);
    const asked = model.requests.filter(({ kind }) => kind === "call").map(({ prompt }) => prompt);
    expect(asked).toEqual(Array.from({ length: 10 }, (_, i) => `question ${i}`));
  });

  it("gives three prompts that are sent at once the right results, and says what was merged", async () => {
    const { session } = await open(path, [text("one"), text("two"), text("three")]);
    const turns = ["A", "B", "C"].map((prompt) => session.send(prompt));
    const results = await Promise.all(turns.map((turn) => turn.result));
    const merged = turns.map((turn) => turn.merged);
    if (path === NEWEST_CLI) {
      expect(results.map(({ result }) => result)).toEqual(["one", "two", "two"]);
      expect(merged).toEqual([[], [turns[2]?.uuid], [turns[1]?.uuid]]);
    } else {
      expect(results.map(({ result }) => result)).toEqual(["one", "two", "three"]);
      expect(merged).toEqual([[], [], []]);
    }
  });

  it("is idle only when background work has ended and the CLI has told the model of it", async () => {
    const { session } = await open(
      path,
      [
        toolUse("Bash", { command: "sleep 1; echo done", run_in_background: true }),
        text("started"),
        text("noticed"),
      ],
      { allowedTools: ["Bash"] },
    );
    const seen: Message[] = [];
    const reading = (async () => {
      for await (const message of session) seen.push(message);
    })();
    expect(await session.send("go").text()).toBe("started");
    expect(seen.filter(isResult).map(({ result }) => result)).toEqual(["started"]);
    await session.idle();
    expect(seen.filter(isResult).map(({ result }) => result)).toEqual(["started", "noticed"]);
    await session.close();
    await reading;
  });

  it("goes on after a turn that was interrupted in mid-stream", async () => {
    const { session } = await open(path, [hang("half an ans"), text("next")]);
    const turn = session.send("first");
    let live = "";
    for await (const piece of turn.textStream) {
      live += piece;
      if (live === "half an ans") break;
    }
    await session.interrupt();
    const result = await turn.result;
    expect({ subtype: result.subtype, is_error: result.is_error }).toEqual({
      subtype: "error_during_execution",
      is_error: true,
    });
    await expect(turn.text()).rejects.toMatchObject({
      code: "aborted",
      partialText: "half an ans",
      sessionId: session.id,
    });
    expect(await session.send("second").text()).toBe("next");
  });

  it("hands a turn's messages to its reader, once", async () => {
    const { session } = await open(path, [text("hello")]);
    const turn = session.send("hi");
    const types: unknown[] = [];
    for await (const message of turn) types.push(message.type);
    expect(types.filter((type) => type !== "command_lifecycle")).toEqual([
      "system",
      "system",
      "assistant",
      "result",
    ]);
    expect(() => turn[Symbol.asyncIterator]()).toThrow(
      expect.objectContaining({ code: "already_consumed" }),
    );
    expect(types.some((type) => type === "stream_event")).toBe(false);
    expect(isMessage(await turn.result, "result")).toBe(true);
  });
});
