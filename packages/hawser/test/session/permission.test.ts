import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CanUseTool, CanUseToolContext } from "../../src/options/index.js";
import { toolUse } from "../../src/testing/index.js";
import { isSystem, type PermissionResult } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { open } from "../support/open-session.js";
import { recordingLogger } from "../support/recording-logger.js";

const touch = (file: string, id = "toolu_1") =>
  toolUse("Bash", { command: `touch ${file}`, description: "d" }, { id });

interface Question {
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly context: CanUseToolContext;
}

/** A callback that keeps what it was asked. */
function asking(answer: CanUseTool): { canUseTool: CanUseTool; asked: Question[] } {
  const asked: Question[] = [];
  const canUseTool: CanUseTool = (tool, input, context) => {
    asked.push({ tool, input, context });
    return answer(tool, input, context);
  };
  return { canUseTool, asked };
}

describe.each(clisInTurn())("canUseTool on $name", ({ path }) => {
  it("is told of the call, the blocked path, and suggestions for this session only", async () => {
    const { canUseTool, asked } = asking(() => ({ behavior: "allow" }));
    const { session, cwd, made } = await open(path, [touch("a"), "done"], { canUseTool });
    expect(await session.send("go").text()).toBe("done");
    expect(made("a")).toBe(true);
    expect(asked).toHaveLength(1);
    const { tool, input, context } = asked[0] as Question;
    expect({ tool, input }).toEqual({
      tool: "Bash",
      input: { command: "touch a", description: "d" },
    });
    const { signal, requestId, suggestions = [], ...facts } = context;
    expect(facts).toMatchObject({ toolUseID: "toolu_1", blockedPath: join(cwd, "a") });
    expect([signal.aborted, typeof requestId]).toEqual([false, "string"]);
    expect(suggestions.length).toBeGreaterThan(0);
    expect(suggestions.map(({ destination }) => destination)).toEqual(
      suggestions.map(() => "session"),
    );
  });

  it("is told why a hook wants it asked", async () => {
    const { canUseTool, asked } = asking(() => ({ behavior: "allow" }));
    const { session } = await open(path, [touch("a"), "done"], {
      canUseTool,
      allowedTools: ["Bash"],
      hooks: {
        PreToolUse: [
          {
            hooks: [
              () => ({
                hookSpecificOutput: {
                  hookEventName: "PreToolUse",
                  permissionDecision: "ask",
                  permissionDecisionReason: "look at it",
                },
              }),
            ],
          },
        ],
      },
    });
    await session.send("go").text();
    expect(asked.map(({ context }) => context.decisionReason)).toEqual(["look at it"]);
  });

  it("can change the input, and the tool runs with that", async () => {
    const { session, made } = await open(path, [touch("a"), "done"], {
      canUseTool: () => ({ behavior: "allow", updatedInput: { command: "touch b" } }),
    });
    await session.send("go").text();
    expect([made("a"), made("b")]).toEqual([false, true]);
  });

  it("is not asked again after it gave the suggestions back, and nothing is written to disk", async () => {
    const { canUseTool, asked } = asking((_tool, _input, { suggestions = [] }) => ({
      behavior: "allow",
      updatedPermissions: suggestions,
    }));
    const replies = [touch("a", "t1"), "one", touch("a", "t2"), "two"];
    const { session, made } = await open(path, replies, { canUseTool });
    expect(await session.send("go").text()).toBe("one");
    expect(await session.send("again").text()).toBe("two");
    expect(asked.map(({ context }) => context.toolUseID)).toEqual(["t1"]);
    await session.close();
    expect(made(".claude")).toBe(false);
  });

  it("writes a settings file if its answer names one", async () => {
    const rules = [{ toolName: "Bash", ruleContent: "touch a" }];
    const { session, cwd } = await open(path, [touch("a"), "done"], {
      canUseTool: () => ({
        behavior: "allow",
        updatedPermissions: [
          { type: "addRules", rules, behavior: "allow", destination: "localSettings" },
        ],
      }),
    });
    await session.send("go").text();
    await session.close();
    const written = await readFile(join(cwd, ".claude/settings.local.json"), "utf8");
    expect(JSON.parse(written)).toMatchObject({ permissions: { allow: ["Bash(touch a)"] } });
  });

  it("denies with words that reach the model, and the turn goes on", async () => {
    const { session, model, made } = await open(path, [touch("a"), "I see"], {
      canUseTool: () => ({ behavior: "deny", message: "not on a Sunday" }),
    });
    const turn = session.send("go");
    expect(await turn.text()).toBe("I see");
    expect(made("a")).toBe(false);
    expect(model.calls[1]?.toolResults).toEqual([
      { toolUseId: "toolu_1", text: expect.stringContaining("not on a Sunday"), isError: true },
    ]);
    expect((await turn.result).permission_denials).toMatchObject([
      { tool_name: "Bash", tool_use_id: "toolu_1" },
    ]);
  });

  it("denies and ends the turn; the next one works", async () => {
    const { session, made } = await open(path, [touch("a"), "next"], {
      canUseTool: () => ({ behavior: "deny", message: "stop", interrupt: true }),
    });
    const result = await session.send("go").result;
    expect({ subtype: result.subtype, is_error: result.is_error }).toEqual({
      subtype: "error_during_execution",
      is_error: true,
    });
    expect(await session.send("second").text()).toBe("next");
    expect(made("a")).toBe(false);
  });

  it("sees its signal aborted by an interrupt, and what it answers then has no effect", async () => {
    const reasons: unknown[] = [];
    const { session, made } = await open(path, [touch("a"), "next"], {
      canUseTool: (_tool, _input, { signal }) =>
        new Promise((answer) => {
          signal.addEventListener("abort", () => {
            reasons.push(signal.reason);
            answer({ behavior: "allow" });
          });
          void session.interrupt();
        }),
    });
    const result = await session.send("go").result;
    expect(result.subtype).toBe("error_during_execution");
    expect(reasons).toEqual([expect.objectContaining({ code: "aborted" })]);
    expect(await session.send("second").text()).toBe("next");
    expect(made("a")).toBe(false);
  });

  it("says in the log that it threw, and why", async () => {
    const { logger, entries } = recordingLogger();
    const { session, model } = await open(path, [touch("a"), "done"], {
      logger,
      canUseTool: () => Promise.reject(new Error("no connection")),
    });
    await session.send("go").text();
    expect(entries.filter(({ level }) => level === "error")).toEqual([
      {
        level: "error",
        message: "canUseTool threw, so the call was denied",
        fields: { error: expect.objectContaining({ message: "no connection" }) },
      },
    ]);
    expect(model.calls[1]?.toolResults[0]?.text).toContain("no connection");
  });

  it("answers the questions of AskUserQuestion", async () => {
    const questions = [
      {
        question: "Which way?",
        header: "Way",
        multiSelect: false,
        options: [
          { label: "Left", description: "l" },
          { label: "Right", description: "r" },
        ],
      },
    ];
    const { canUseTool, asked } = asking((_tool, input) => ({
      behavior: "allow",
      updatedInput: { ...input, answers: { "Which way?": "Right" } },
    }));
    const replies = [toolUse("AskUserQuestion", { questions }), "done"];
    const { session, model } = await open(path, replies, { canUseTool });
    expect(await session.send("go").text()).toBe("done");
    expect(asked.map(({ tool, input }) => ({ tool, input }))).toEqual([
      { tool: "AskUserQuestion", input: { questions } },
    ]);
    expect(model.calls[1]?.toolResults[0]).toMatchObject({
      text: expect.stringMatching(/Which way\?.*Right/s),
      isError: false,
    });
  });

  it("leaves plan mode by ExitPlanMode, or stays in it", async () => {
    const answers: PermissionResult[] = [
      { behavior: "deny", message: "think more" },
      { behavior: "allow" },
    ];
    const { canUseTool, asked } = asking(() => answers.shift() ?? null);
    const leave = (id: string) => toolUse("ExitPlanMode", { plan: "do it" }, { id });
    const { session, model } = await open(path, [leave("t1"), leave("t2"), "done", "after"], {
      permissionMode: "plan",
      canUseTool,
    });
    expect(await session.send("go").text()).toBe("done");
    expect(asked.map(({ tool }) => tool)).toEqual(["ExitPlanMode", "ExitPlanMode"]);
    expect(model.calls[1]?.toolResults[0]).toMatchObject({
      text: expect.stringContaining("think more"),
      isError: true,
    });
    const modes: unknown[] = [];
    for await (const message of session.send("next")) {
      if (isSystem(message, "init")) modes.push(message.permissionMode);
    }
    expect(modes).toEqual(["default"]);
  });
});
