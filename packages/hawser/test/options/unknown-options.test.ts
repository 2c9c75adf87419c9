import { describe, expect, it } from "vitest";
import type { Options } from "../../src/options/index.js";
import { invalid, messageOf } from "./invalid.helper.js";
import { refusalOf } from "./refusal.helper.js";

describe("an unknown option", () => {
  it.each([
    ["maxTurn", "maxTurns"],
    ["max_turns", "maxTurns"],
    ["MaxTurns", "maxTurns"],
    ["modle", "model"],
    ["systemprompt", "systemPrompt"],
    ["allowed_tools", "allowedTools"],
    ["cli_path", "cliPath"],
    ["add_dirs", "additionalDirectories"],
    ["continue_conversation", "continue"],
    ["max_buffer_size", "maxLineBytes"],
    ["strict_settings_merge", "strictSettingsMerge"],
    ["working_dir", "cwd"],
  ])("%s is reported with the hint %s", (given, meant) => {
    const error = invalid({ [given]: 1 });
    expect(error?.message).toBe(`${given} is not an option; did you mean ${meant}?`);
    expect(error?.hint).toBe(`Use \`${meant}\`.`);
  });

  it("that resembles no other is reported without a hint", () => {
    expect(messageOf({ zzzzzzzz: 1 })).toBe("zzzzzzzz is not an option.");
    expect(messageOf({ ["x".repeat(10_000)]: 1 })).toBe(`${"x".repeat(10_000)} is not an option.`);
    expect(messageOf({ "a b": 1 })).toMatch(/^"a b" is not an option/);
  });

  it("is refused even if its value is undefined", () => {
    expect(messageOf({ maxTurn: undefined })).toContain("did you mean maxTurns");
  });
});

describe("an unknown name inside an option", () => {
  it.each<[object, string, string | undefined]>([
    [{ timeouts: { total: 5 } }, "timeouts.total", "timeouts.totalMs"],
    [{ thinking: { type: "enabled", budget: 5000 } }, "thinking.budget", undefined],
    [{ retry: { backoff: 1 } }, "retry.backoff", undefined],
    [{ taskBudget: { total: 5, totl: 1 } }, "taskBudget.totl", "taskBudget.total"],
    [{ sandbox: { enable: true } }, "sandbox.enable", "sandbox.enabled"],
  ])("is refused: %j", (options, path, near) => {
    const error = refusalOf(options as Options);
    const message = near === undefined ? "is not known" : `is not known; did you mean ${near}?`;
    expect(error?.issues).toEqual([{ path, message }]);
    expect(error?.hint).toBe(near === undefined ? "Leave it out." : `Use \`${near}\`.`);
  });

  it("passes in sandbox if it resembles no other, because the CLI adds settings", () => {
    expect(refusalOf({ sandbox: { enabled: true, somethingNewAltogether: 1 } })).toBeUndefined();
    const wrong = refusalOf({ sandbox: { enabled: "yes" } } as never);
    expect(wrong?.issues?.[0]?.path).toBe("sandbox.enabled");
  });

  it("passes in sandbox if it only begins like another, such as enabledPlatforms of the CLI", () => {
    expect(refusalOf({ sandbox: { enabled: true, enabledPlatforms: ["linux"] } })).toBeUndefined();
  });
});

describe("the error for unknown options", () => {
  it("names the first problem and lists all of them", () => {
    const error = invalid({ maxTurns: 0, maxBudgetUsd: 0, sessionId: "x" });
    expect({ ...error, message: error?.message }).toEqual({
      code: "invalid_options",
      message:
        "maxTurns must be an integer of at least 1, not 0 (and 2 more problems: see `issues`).",
      hint: "Change `maxTurns`, or leave it out.",
      retryable: false,
      issues: [
        { path: "maxTurns", message: "must be an integer of at least 1, not 0" },
        { path: "maxBudgetUsd", message: "must be a number greater than 0, not 0" },
        { path: "sessionId", message: "must be a UUID" },
      ],
    });
  });
});
