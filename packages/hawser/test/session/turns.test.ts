import { describe, expect, it } from "vitest";
import { hang, text, toolUse } from "../../src/testing/index.js";
import { isMessage, isResult } from "../../src/wire/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { open } from "../support/open-session.js";
import { sharedSession } from "./shared-session.helper.js";

describe.each(clisInTurn())("Session.send() on $name", ({ path }) => {
  const shared = sharedSession(path, { allowedTools: ["Bash"] });

  it("runs ten turns in one process, each with its own answer", async () => {
    const { session } = shared;
    const ten = (word: string) => Array.from({ length: 10 }, (_, i) => `${word} ${i}`);
    shared.script(...ten("answer"));
    const { pid, id } = session;
    const answers: string[] = [];
    for (const question of ten("question")) answers.push(await session.send(question).text());
    expect(answers).toEqual(ten("answer"));
    expect([session.pid, session.id]).toEqual([pid, id]);
    expect(shared.calls.map(({ prompt }) => prompt)).toEqual(ten("question"));
  });

  it("continues after a turn that was interrupted while it streamed", async () => {
    const { session } = shared;
    shared.script(hang("half an ans"), text("next"));
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

  it("gives the messages of a turn to one reader, without partial messages", async () => {
    const { session } = shared;
    shared.script("first", "hello");
    await session.send("first").text();
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
    expect(isMessage(await turn.result, "result")).toBe(true);
  });

  it("is followed by idle(), which waits until the model knows of ended background work", async () => {
    const { session } = shared;
    shared.script(
      toolUse("Bash", { command: "sleep 1; echo done", run_in_background: true }),
      text("started"),
      text("noticed"),
    );
    const seen = shared.watch();
    const before = seen.length;
    const results = () =>
      seen
        .slice(before)
        .filter(isResult)
        .map(({ result }) => result);
    expect(await session.send("go").text()).toBe("started");
    expect(results()).toEqual(["started"]);
    await session.idle();
    expect(results()).toEqual(["started", "noticed"]);
  });

  it("gives three prompts of a new session the right results, and lists merged prompts", async () => {
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
});
