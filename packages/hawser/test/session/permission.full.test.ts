import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { CanUseTool, CanUseToolContext, HookCallback } from "../../src/options/index.js";
import { toolUse } from "../../src/testing/index.js";
import { isSystem, type PermissionResult } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { open } from "../support/open-session.js";
import { recordingLogger } from "../support/recording-logger.js";
import { sharedSession } from "./shared-session.helper.js";

/** The CLI ignores a second call with the same id, so the id holds the name of the file. */
const touch = (file: string, id = `toolu_${file}`) =>
  toolUse("Bash", { command: `touch ${file}`, description: "d" }, { id });

interface Question {
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly context: CanUseToolContext;
}

describe.each(clisInTurn())("canUseTool on $name", ({ path }) => {
  let answer: CanUseTool;
  let hook: HookCallback<"PreToolUse">;
  let asked: Question[];
  const { logger, entries } = recordingLogger();
  const shared = sharedSession(path, {
    logger,
    canUseTool: (tool, input, context) => {
      asked.push({ tool, input, context });
      return answer(tool, input, context);
    },
    hooks: { PreToolUse: [{ hooks: [(input, id, context) => hook(input, id, context)] }] },
  });
  beforeEach(() => {
    answer = () => ({ behavior: "allow" });
    hook = () => undefined;
    asked = [];
    entries.length = 0;
  });

  it("receives the call, the blocked path, and suggestions for this session only", async () => {
    shared.script(touch("told"), "done");
    expect(await shared.session.send("go").text()).toBe("done");
    expect(shared.made("told")).toBe(true);
    expect(asked).toHaveLength(1);
    const { tool, input, context } = asked[0] as Question;
    expect({ tool, input }).toEqual({
      tool: "Bash",
      input: { command: "touch told", description: "d" },
    });
    const { signal, requestId, suggestions = [], ...facts } = context;
    expect(facts).toMatchObject({ toolUseID: "toolu_told", blockedPath: join(shared.cwd, "told") });
    expect([signal.aborted, typeof requestId]).toEqual([false, "string"]);
    expect(suggestions.length).toBeGreaterThan(0);
    expect(suggestions.map(({ destination }) => destination)).toEqual(
      suggestions.map(() => "session"),
    );
  });

  it("receives the reason of a hook that answers ask", async () => {
    hook = () => ({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "ask",
        permissionDecisionReason: "look at it",
      },
    });
    // A command that the CLI allows without a question.
    shared.script(toolUse("Bash", { command: "true", description: "d" }), "done");
    await shared.session.send("go").text();
    expect(asked.map(({ context }) => context.decisionReason)).toEqual(["look at it"]);
  });

  it("runs the tool with the updatedInput of the answer", async () => {
    answer = () => ({ behavior: "allow", updatedInput: { command: "touch changed" } });
    shared.script(touch("original"), "done");
    await shared.session.send("go").text();
    expect([shared.made("original"), shared.made("changed")]).toEqual([false, true]);
  });

  it("denies with a message that reaches the model, and the turn continues", async () => {
    answer = () => ({ behavior: "deny", message: "not on a Sunday" });
    shared.script(touch("denied"), "I see");
    const turn = shared.session.send("go");
    expect(await turn.text()).toBe("I see");
    expect(shared.made("denied")).toBe(false);
    expect(shared.calls[1]?.toolResults).toEqual([
      {
        toolUseId: "toolu_denied",
        text: expect.stringContaining("not on a Sunday"),
        isError: true,
      },
    ]);
    expect((await turn.result).permission_denials).toMatchObject([
      { tool_name: "Bash", tool_use_id: "toolu_denied" },
    ]);
  });

  it("ends the turn by a deny with interrupt: true, and the next turn works", async () => {
    answer = () => ({ behavior: "deny", message: "stop", interrupt: true });
    shared.script(touch("interrupted"), "next");
    const result = await shared.session.send("go").result;
    expect({ subtype: result.subtype, is_error: result.is_error }).toEqual({
      subtype: "error_during_execution",
      is_error: true,
    });
    expect(await shared.session.send("second").text()).toBe("next");
    expect(shared.made("interrupted")).toBe(false);
  });

  it("has its signal aborted by interrupt(), and an allow after that has no effect", async () => {
    const reasons: unknown[] = [];
    answer = (_tool, _input, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          reasons.push(signal.reason);
          resolve({ behavior: "allow" });
        });
        void shared.session.interrupt();
      });
    shared.script(touch("late"), "next");
    const result = await shared.session.send("go").result;
    expect(result.subtype).toBe("error_during_execution");
    expect(reasons).toEqual([expect.objectContaining({ code: "aborted" })]);
    expect(await shared.session.send("second").text()).toBe("next");
    expect(shared.made("late")).toBe(false);
  });

  it("denies when the callback throws, and logs the error", async () => {
    answer = () => Promise.reject(new Error("no connection"));
    shared.script(touch("thrown"), "done");
    await shared.session.send("go").text();
    expect(entries.filter(({ level }) => level === "error")).toEqual([
      {
        level: "error",
        message: "canUseTool threw, so the call was denied",
        fields: { error: expect.objectContaining({ message: "no connection" }) },
      },
    ]);
    expect(shared.calls[1]?.toolResults[0]?.text).toContain("no connection");
    expect(shared.made("thrown")).toBe(false);
  });

  it("answers the questions of AskUserQuestion by updatedInput", async () => {
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
    answer = (_tool, input) => ({
      behavior: "allow",
      updatedInput: { ...input, answers: { "Which way?": "Right" } },
    });
    shared.script(toolUse("AskUserQuestion", { questions }), "done");
    expect(await shared.session.send("go").text()).toBe("done");
    expect(asked.map(({ tool, input }) => ({ tool, input }))).toEqual([
      { tool: "AskUserQuestion", input: { questions } },
    ]);
    expect(shared.calls[1]?.toolResults[0]).toMatchObject({
      text: expect.stringMatching(/Which way\?.*Right/s),
      isError: false,
    });
  });

  it("decides whether ExitPlanMode leaves plan mode", async () => {
    const { session } = shared;
    const answers: PermissionResult[] = [
      { behavior: "deny", message: "think more" },
      { behavior: "allow" },
    ];
    answer = () => answers.shift() ?? null;
    const leave = (id: string) => toolUse("ExitPlanMode", { plan: "do it" }, { id });
    shared.script(leave("t1"), leave("t2"), "done", "after");
    await session.setPermissionMode("plan");
    expect(await session.send("go").text()).toBe("done");
    expect(asked.map(({ tool }) => tool)).toEqual(["ExitPlanMode", "ExitPlanMode"]);
    expect(shared.calls[1]?.toolResults[0]).toMatchObject({
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

describe.each(clisInTurn())("updatedPermissions of a canUseTool answer on $name", ({ path }) => {
  it("stop further questions in the session, and reach the disk only if they name a settings file", async () => {
    const asked: string[] = [];
    // The suggestions for `touch a` may allow every `touch`, but no shell inside the shell.
    const nested = toolUse("Bash", { command: "sh -c 'touch b'", description: "d" }, { id: "t3" });
    const { session, cwd, made } = await open(
      path,
      [touch("a", "t1"), "one", touch("a", "t2"), "two", nested, "three"],
      {
        canUseTool: (_tool, _input, { toolUseID, suggestions = [] }) => {
          asked.push(toolUseID);
          const rules = [{ toolName: "Bash", ruleContent: "sh -c 'touch b'" }];
          return {
            behavior: "allow",
            updatedPermissions:
              toolUseID === "t1"
                ? suggestions
                : [{ type: "addRules", rules, behavior: "allow", destination: "localSettings" }],
          };
        },
      },
    );
    expect(await session.send("go").text()).toBe("one");
    expect(await session.send("again").text()).toBe("two");
    expect(asked).toEqual(["t1"]);
    expect(made(".claude")).toBe(false);
    expect(await session.send("another").text()).toBe("three");
    expect(asked).toEqual(["t1", "t3"]);
    await session.close();
    expect(await readdir(join(cwd, ".claude"))).toEqual(["settings.local.json"]);
    const written = await readFile(join(cwd, ".claude/settings.local.json"), "utf8");
    expect(JSON.parse(written)).toMatchObject({
      permissions: { allow: ["Bash(sh -c 'touch b')"] },
    });
  });
});
