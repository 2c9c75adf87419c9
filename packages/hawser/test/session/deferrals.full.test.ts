import { describe, expect, it } from "vitest";
import { complete } from "../../src/complete/index.js";
import { Deferrals } from "../../src/session/answer/deferrals.js";
import { openSession } from "../../src/session/index.js";
import { stopOf } from "../../src/session/result-outcome.js";
import { toolUse } from "../../src/testing/index.js";
import { type HookOutput, isMessage } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { open } from "../support/open-session.js";
import { recordingLogger } from "../support/recording-logger.js";
import { world } from "../support/world.js";
import { allowAll, bash, bashHook, deferred } from "./deferred.helper.js";
import { open as openFake } from "./fake.helper.js";

const RULES = [
  { tool: "Bash", decision: "defer" },
  { tool: "*", decision: "allow" },
] as const;

describe.each(clisInTurn())("a deferred tool call on $name", ({ path }) => {
  it("ends the turn with tool_deferred and the call, by a rule, and is asked about when the session is resumed", async () => {
    const { session, options, model, made } = await open(
      path,
      [["I call. ", bash("touch one")], "Done."],
      {
        rules: RULES,
      },
    );
    const turn = session.send("Go.");
    expect(await turn.result).toMatchObject({
      subtype: "success",
      is_error: false,
      stop_reason: "tool_deferred",
      terminal_reason: "tool_deferred",
      deferred_tool_use: {
        id: expect.stringMatching(/^toolu_/),
        name: "Bash",
        input: { command: "touch one" },
      },
    });
    expect(await turn.text()).toBe("I call. ");
    await session.close();
    expect(made("one")).toBe(false);

    const { canUseTool, asked } = allowAll();
    await using again = await openSession({
      ...options,
      rules: RULES,
      canUseTool,
      resume: session.id,
    });
    expect(await again.resumedTurn().text()).toBe("Done.");
    expect([asked, made("one")]).toEqual([["Bash"], true]);
    expect(model.calls.at(-1)?.toolResults).toMatchObject([{ isError: false }]);
  });

  it("is denied by a rule when the session is resumed without canUseTool", async () => {
    const place = await deferred(path);
    const session = await place.reopen({ rules: RULES });
    expect(await session.resumedTurn().text()).toBe("Done.");
    expect(place.made("one")).toBe(false);
    expect(place.model.calls.at(-1)?.toolResults).toMatchObject([{ isError: true }]);
  });

  it("is the stop of complete(), with the text so far", async () => {
    const { options } = await world(path, [["I call. ", bash("touch one")]]);
    const completion = await complete("Go.", {
      ...options,
      tools: ["Bash"],
      hooks: bashHook(() => "defer"),
    });
    expect(completion).toMatchObject({
      stop: "tool_deferred",
      text: "I call. ",
      deferredToolUse: { name: "Bash", input: { command: "touch one" } },
      toolCalls: [],
    });
  });

  it("is the only one of its message: a second is denied, with words that say to ask again", async () => {
    const both = [bash("touch one"), bash("touch two")];
    const { session, made } = await open(path, [both], { hooks: bashHook(() => "defer") });
    const turn = session.send("Go.");
    const told: string[] = [];
    for await (const message of turn) {
      if (isMessage(message, "user")) told.push(JSON.stringify(message.message.content));
    }
    expect((await turn.result).deferred_tool_use?.input).toMatchObject({ command: "touch one" });
    expect(told).toEqual([expect.stringContaining("Make this call again")]);
    expect([made("one"), made("two")]).toEqual([false, false]);
  });

  it("is denied in a sub-agent, with a reason that the sub-agent reads", async () => {
    const read: string[] = [];
    const { session, made } = await open(
      path,
      ({ prompt, toolResults }) => {
        read.push(...toolResults.map(({ text }) => text));
        if (prompt.includes("SUBTASK")) return bash("touch sub");
        const input = { description: "d", prompt: "SUBTASK", subagent_type: "general-purpose" };
        return toolResults.length > 0 || prompt !== "Go." ? "Done." : toolUse("Agent", input);
      },
      { hooks: bashHook(() => "defer"), allowedTools: ["Agent", "Task"] },
    );
    expect((await session.send("Go.").result).stop_reason).toBe("end_turn");
    await session.idle();
    expect(made("sub")).toBe(false);
    expect(read.join("\n")).toContain("a sub-agent cannot wait for");
  });

  it("fails with invalid_options when the session is resumed without its tool", async () => {
    const place = await deferred(path);
    const session = await place.reopen({ tools: ["Read"], canUseTool: allowAll().canUseTool });
    await expect(session.resumedTurn().text()).rejects.toMatchObject({
      code: "invalid_options",
      message: expect.stringMatching(/Bash isn't available|because Bash is not available/),
      retryable: false,
    });
  });
});

describe("a call that is deferred again on a fake CLI", () => {
  it("has a result that only stop_reason and deferred_tool_use tell from an answer", async () => {
    // Observed on 2.1.325: this result has no terminal_reason.
    const deferred_tool_use = { id: "toolu_1", name: "Bash", input: { command: "ls" } };
    const result = { result: "", stop_reason: "tool_deferred", deferred_tool_use };
    const { session } = await openFake([{ on: "user", do: [{ init: {} }, { result }] }]);
    expect(stopOf(await session.send("Go.").result)).toBe("tool_deferred");
  });
});

describe("Deferrals", () => {
  const defer: HookOutput = {
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "defer" },
  };
  const decisionOf = (deferrals: Deferrals, call: object) => {
    const { logger, entries } = recordingLogger();
    const { hookSpecificOutput } = deferrals.check(defer, call, logger) as {
      readonly hookSpecificOutput: { readonly permissionDecision: string };
    };
    const { permissionDecision } = hookSpecificOutput;
    expect(entries.length).toBe(permissionDecision === "deny" ? 1 : 0);
    return permissionDecision;
  };

  it("defers the first call of a turn, asked by several hooks, and denies others until the result", () => {
    const session = { results: 0 };
    const deferrals = new Deferrals(session, () => "2.1.325");
    const said = ["a", "a", "b"].map((tool_use_id) => decisionOf(deferrals, { tool_use_id }));
    expect(said).toEqual(["defer", "defer", "deny"]);
    expect(decisionOf(deferrals, { tool_use_id: "b" })).toBe("deny");
    session.results += 1;
    expect(decisionOf(deferrals, { tool_use_id: "b" })).toBe("defer");
  });

  it.each([
    ["2.1.88", "deny"],
    ["2.1.89", "defer"],
    [undefined, "defer"],
  ])("on version %s answers %s", (version, answer) => {
    expect(decisionOf(new Deferrals({ results: 0 }, () => version), { tool_use_id: "a" })).toBe(
      answer,
    );
  });

  it("denies a call of a sub-agent", () => {
    const call = { tool_use_id: "a", agent_id: "x" };
    expect(decisionOf(new Deferrals({ results: 0 }, () => undefined), call)).toBe("deny");
  });
});
