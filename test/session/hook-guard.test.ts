import { describe, expect, it } from "vitest";
import { checkGuardAnswer } from "../../src/session/answer/guard-answer.js";

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
