import { describe, expect, it } from "vitest";
import { CHANNELS } from "../../src/base/index.js";
import { openSession } from "../../src/session/index.js";
import { isMessage, isResult, type Message } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { open as openReal } from "../support/open-session.js";
import { allowAll, deferred } from "./deferred.helper.js";
import { open } from "./fake.helper.js";

describe.each(clisInTurn())("Session.resumedTurn() on $name", ({ path }) => {
  it("is the deferred call and what follows it; a prompt that is sent meanwhile gets a result of its own", async () => {
    const place = await deferred(path, "touch one", ({ prompt }) =>
      prompt === "second" ? "Second." : "Done.",
    );
    const { canUseTool, asked } = allowAll();
    const session = await place.reopen({ canUseTool });
    const started: unknown[] = [];
    const onStart = (event: unknown) => started.push(event);
    CHANNELS.turnStart.subscribe(onStart);
    const turn = session.resumedTurn();
    const next = session.send("second");
    CHANNELS.turnStart.unsubscribe(onStart);
    expect(session.resumedTurn()).toBe(turn);
    const seen: Message[] = [];
    for await (const message of turn) seen.push(message);
    expect(await turn.text()).toBe("Done.");
    expect([asked, place.made("one")]).toEqual([["Bash"], true]);
    // The result of the call is the first message of the model's side, the result of the turn the last.
    const ofTurn = seen.filter((each) => isMessage(each, "user") || isMessage(each, "assistant"));
    expect(ofTurn.map(({ type }) => type)).toEqual(["user", "assistant"]);
    expect(seen.filter((each) => isResult(each))).toEqual([await turn.result]);
    expect(turn.costUsd === undefined || turn.costUsd > 0).toBe(true);
    expect(await next.text()).toBe("Second.");
    expect((await next.result).uuid).not.toBe((await turn.result).uuid);
    expect(next.merged).toEqual([]);
    await session.idle();
    expect(place.model.calls.length).toBe(3);
  });

  it("does not take the result of the deferred call for that of a prompt, if it was not asked for", async () => {
    const place = await deferred(path, "touch one", ({ prompt }) =>
      prompt === "second" ? "Second." : "Done.",
    );
    const session = await place.reopen({ canUseTool: allowAll().canUseTool });
    expect(await session.send("second").text()).toBe("Second.");
    expect(() => session.resumedTurn()).toThrow("A prompt was sent before");
    await session.idle();
  });

  it("ends with timeout if the CLI begins nothing", async () => {
    const { session, options } = await openReal(path, ["Hello."]);
    await session.send("Hi.").result;
    await session.close();
    await using again = await openSession({
      ...options,
      resume: session.id,
      timeouts: { firstMessageMs: 500 },
      closeGraceMs: 200,
    });
    const turn = again.resumedTurn();
    await expect(turn.result).rejects.toMatchObject({
      code: "timeout",
      phase: "firstMessage",
      sessionId: session.id,
    });
    await expect(again.send("Hi.").result).rejects.toMatchObject({ code: "timeout" });
  });

  it("throws in a session that was not resumed, and rejects in one that is closed", async () => {
    const { session, options } = await openReal(path, ["Hello."]);
    expect(() => session.resumedTurn()).toThrow("was not resumed");
    await session.send("Hi.").result;
    await session.close();
    const again = await openSession({ ...options, resume: session.id });
    const turn = again.resumedTurn();
    await again.close();
    await expect(turn.result).rejects.toMatchObject({ code: "closed" });
    expect(again.resumedTurn()).toBe(turn);
  });
});

describe("Session.resumedTurn() on a fake CLI", () => {
  it("is not mixed up with a prompt that an older CLI gets before it tells of its own turn", async () => {
    const block = { type: "tool_result", tool_use_id: "toolu_1", content: "ok" };
    const message = { role: "user", content: [block] };
    const result = { type: "user", message, parent_tool_use_id: null, session_id: "s", uuid: "u" };
    const own = { result: "Own.", user_message_uuids: null };
    const { session } = await open(
      [
        {
          on: "user",
          do: [{ emit: result }, { init: {} }, { result: own }, { turn: "Second." }],
        },
      ],
      { resume: "5e55101d-0000-4000-8000-000000000000" },
    );
    expect(await session.send("second").text()).toBe("Second.");
  });

  it("has the messages that came before it was called", async () => {
    const { session } = await open(
      [
        {
          on: "initialize",
          do: [{ default: true }, { turn: "By itself." }],
        },
      ],
      { resume: "5e55101d-0000-4000-8000-000000000000" },
    );
    // The whole turn is over by now.
    await session.idle();
    const turn = session.resumedTurn();
    const types: unknown[] = [];
    for await (const { type } of turn) types.push(type);
    expect(types.filter((type) => type !== "stream_event")).toEqual([
      "system",
      "assistant",
      "result",
    ]);
    expect(await turn.text()).toBe("By itself.");
  });

  it("rejects with process_exited when the process dies", async () => {
    const { session } = await open(
      [{ on: "initialize", do: [{ default: true }, { init: {} }, { die: "SIGKILL" }] }],
      {
        resume: "5e55101d-0000-4000-8000-000000000000",
      },
    );
    await expect(session.resumedTurn().result).rejects.toMatchObject({ code: "process_exited" });
  });
});
