import { describe, expect, it } from "vitest";
import { SILENT } from "../../src/base/index.js";
import type { NumberedHook, PolicyRule } from "../../src/options/index.js";
import { AnnouncedSession } from "../../src/session/answer/announced-session.js";
import { answerHook } from "../../src/session/answer/answer-hook.js";
import { answerPermission } from "../../src/session/answer/answer-permission.js";
import { Deferrals } from "../../src/session/answer/deferrals.js";
import { PolicyJudge } from "../../src/session/answer/policy-judge.js";
import type { CanUseToolRequest, HookCallbackRequest } from "../../src/wire/index.js";

const context = { signal: new AbortController().signal, requestId: "r" };
const report = () => "";

describe("PolicyJudge", () => {
  const rules: PolicyRule[] = [
    { tool: "Write", input: { file_path: "/missing/tree/*" }, decision: "allow" },
  ];
  const judge = () => new PolicyJudge(rules, "deny", () => ({ cwd: "/missing/session" }));
  const write = (tool_use_id: string, cwd?: string) => ({ tool_name: "Write", tool_use_id, cwd });
  const input = { file_path: "a" };

  it("takes the folder of a question from the hook of the same call", () => {
    const it = judge();
    expect(it.explain(write("1", "/missing/tree"), input).decision).toBe("allow");
    expect(it.explain(write("2", "/missing/other"), input).decision).toBe("deny");
    expect(it.explain(write("1"), input).decision).toBe("allow");
    expect(it.explain(write("2"), input).decision).toBe("deny");
  });

  it("takes the session's folder for a call that no hook told of", () => {
    const it = judge();
    it.explain(write("1", "/missing/tree"), input);
    expect(it.explain(write("3"), input).decision).toBe("deny");
    const inSession: PolicyRule[] = [
      { tool: "Write", input: { file_path: "/missing/session/*" }, decision: "allow" },
    ];
    const other = new PolicyJudge(inSession, "deny", () => ({ cwd: "/missing/session" }));
    other.explain(write("1", "/missing/tree"), input);
    expect(other.explain(write("3"), input).decision).toBe("allow");
  });

  it("remembers the folders of the last 1000 calls", () => {
    const it = judge();
    for (let i = 0; i <= 1000; i++) it.explain(write(String(i), "/missing/tree"), input);
    expect(it.explain(write("0"), input).decision).toBe("deny");
    expect(it.explain(write("1"), input).decision).toBe("allow");
  });
});

describe("answerPermission", () => {
  it("denies with a reason if the policy throws", async () => {
    const judge = new PolicyJudge([], "ask", () => {
      throw new Error("no context");
    });
    const request = { tool_name: "Bash", input: {}, tool_use_id: "1" } as CanUseToolRequest;
    const canUseTool = () => ({ behavior: "allow", updatedInput: { command: "ls" } }) as const;
    const announced = new AnnouncedSession();
    const parts = { canUseTool, judge, log: SILENT, report, announced };
    expect(await answerPermission(request, context, parts)).toEqual({
      behavior: "deny",
      message: "The policy failed: no context",
      toolUseID: "1",
    });
  });
});

describe("answerHook with a policy", () => {
  const judge = new PolicyJudge(
    [
      { tool: "Bash", input: { command: "rm *" }, decision: "deny" },
      { tool: "*", decision: "allow" },
    ],
    "deny",
    () => ({}),
  );
  const run = (event: string, hookSpecificOutput: object) => {
    const hook = { event, onFailure: "continue", callback: () => ({ hookSpecificOutput }) };
    const input = { tool_name: "Bash", tool_input: { command: "ls" } };
    return answerHook(
      { subtype: "hook_callback", callback_id: "h", input } as unknown as HookCallbackRequest,
      context,
      {
        callbacks: new Map([["h", hook as unknown as NumberedHook]]),
        judge,
        deferrals: new Deferrals({ results: 0 }, () => undefined),
        insteadOfDefer: () => undefined,
        log: SILENT,
        report,
      },
    );
  };
  const updatedInput = { command: "rm a" };

  it.each([{}, { hookEventName: "PermissionRequest" }])(
    "decides the updatedInput of a PreToolUse hook whose output says %j",
    async (named) => {
      expect(await run("PreToolUse", { ...named, updatedInput })).toMatchObject({
        hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" },
      });
    },
  );

  it("decides the updatedInput of a PermissionRequest hook whose output names no event", async () => {
    const decision = { behavior: "allow", updatedInput };
    expect(await run("PermissionRequest", { decision })).toMatchObject({
      hookSpecificOutput: { decision: { behavior: "deny" } },
    });
  });
});
