import { describe, expect, it } from "vitest";
import { SILENT } from "../../src/base/index.js";
import { POLICY_HOOK } from "../../src/options/index.js";
import { answerHook } from "../../src/session/answer/answer-hook.js";
import { checkGuardAnswer } from "../../src/session/answer/check-guard-answer.js";
import { Deferrals } from "../../src/session/answer/deferrals.js";
import { PolicyJudge } from "../../src/session/answer/policy-judge.js";
import type { HookCallbackRequest } from "../../src/wire/index.js";

const decision = (fields: object) => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", ...fields },
});

describe("the answer of a guard", () => {
  it.each([
    {},
    { async: true },
    { continue: false, stopReason: "enough", suppressOutput: true, systemMessage: "m" },
    { decision: "block", reason: "no" },
    { decision: "approve" },
    decision({}),
    decision({ permissionDecision: "allow", updatedInput: { command: "ls" } }),
    decision({ permissionDecision: "deny", permissionDecisionReason: "no" }),
    decision({ permissionDecision: "ask", additionalContext: "c" }),
    decision({ permissionDecision: "defer" }),
    { reason: undefined, hookSpecificOutput: undefined },
    { a_field_of_a_newer_cli: 1 },
  ])("is taken: %j", (answer) => {
    expect(() => checkGuardAnswer(answer)).not.toThrow();
  });

  it.each([
    "deny",
    null,
    false,
    [],
    () => {},
    { continue: "no" },
    { decision: "deny" },
    { reason: 1 },
    { hookSpecificOutput: "deny" },
    { hookSpecificOutput: { permissionDecision: "deny" } },
    { hookSpecificOutput: { hookEventName: "PostToolUse", permissionDecision: "deny" } },
    decision({ permissionDecision: "block" }),
    decision({ permissionDecision: null }),
    decision({ updatedInput: ["ls"] }),
    decision({ permissionDecisionReason: new Date(0).getTime() }),
    { reason: 1n },
  ])("is refused, since a CLI would not read it: case %#", (answer) => {
    expect(() => checkGuardAnswer(answer)).toThrow();
  });
});

describe("the policy as a guard", () => {
  const ask = (input: unknown, rules = [{ tool: "Bash", decision: "allow" } as const]) =>
    answerHook(
      { subtype: "hook_callback", callback_id: POLICY_HOOK, input } as HookCallbackRequest,
      { signal: new AbortController().signal, requestId: "r" },
      {
        callbacks: new Map(),
        judge: new PolicyJudge(rules, "ask", () => ({})),
        deferrals: new Deferrals({ results: 0 }, () => undefined),
        insteadOfDefer: () => undefined,
        log: SILENT,
        report: () => "",
      },
    );

  it("decides by its rules", async () => {
    expect(await ask({ tool_name: "Bash", tool_input: {} })).toEqual(
      decision({
        permissionDecision: "allow",
        permissionDecisionReason: "Rule 1 (allow Bash) decides.",
      }),
    );
  });

  it.each([
    ["a call without a name", { tool_input: {} }],
    ["no call at all", undefined],
  ])("denies where it breaks, as at %s", async (_what, input) => {
    expect(await ask(input, [{ tool: "B*", decision: "allow" } as never])).toEqual(
      decision({
        permissionDecision: "deny",
        permissionDecisionReason: expect.stringMatching(/^The policy failed: /),
      }),
    );
  });
});
