import { describe, expect, it } from "vitest";
import { coversRule } from "../../src/worker/segment/covers-rule.js";
import { narrowOptions } from "../../src/worker/segment/segment-options.js";

const NO_BUDGET = { budgetUsd: undefined, spentUsd: 0 };

describe("coversRule()", () => {
  it.each([
    ["Bash", "Bash", true],
    ["Bash", "Bash(git log *)", true],
    ["Bash(*)", "Bash(git log *)", true],
    ["Bash(git log *)", "Bash(git log *)", true],
    ["Bash(git *)", "Bash(git log *)", false],
    ["Bash(git log *)", "Bash", false],
    ["Bash(git log *)", "Bash(rm *)", false],
    ["Read", "Bash", false],
    ["Read", "ReadMcpResource", false],
    ["mcp__files", "mcp__files__read", true],
    ["mcp__files__*", "mcp__files__read", true],
    ["mcp__files__*", "mcp__files", true],
    ["mcp__files__read", "mcp__files", false],
    ["mcp__files__read", "mcp__files__read_all", false],
    ["mcp__files", "mcp__files2__read", false],
    ["*", "Bash", false],
  ])("a profile's %s covers a run's %s: %s", (profile, run, covers) => {
    expect(coversRule(profile, run)).toBe(covers);
  });
});

describe("narrowOptions()", () => {
  it("keeps only allowedTools that the profile allows too", () => {
    const profile = { allowedTools: ["Read", "Bash(git log *)"] };
    expect(
      narrowOptions(profile, { allowedTools: ["Read", "Bash"] }, NO_BUDGET).allowedTools,
    ).toEqual(["Read"]);
    expect(narrowOptions({}, { allowedTools: ["Bash"] }, NO_BUDGET).allowedTools).toEqual([]);
    expect(narrowOptions(profile, {}, NO_BUDGET).allowedTools).toEqual(profile.allowedTools);
  });

  it("says in the log which allowedTools have no effect", () => {
    const warnings: unknown[] = [];
    const logger = {
      debug() {},
      info() {},
      warn: (...words: unknown[]) => void warnings.push(words),
      error() {},
    };
    narrowOptions({}, { allowedTools: ["Bash"] }, NO_BUDGET, logger);
    expect(warnings).toMatchObject([[expect.any(String), { dropped: ["Bash"] }]]);
  });

  it("adds disallowedTools, and takes the smaller limits", () => {
    const options = narrowOptions(
      { disallowedTools: ["WebFetch"], maxTurns: 10, maxBudgetUsd: 5 },
      { disallowedTools: ["WebSearch", "WebFetch"], maxTurns: 20, maxBudgetUsd: 3 },
      { budgetUsd: 4, spentUsd: 1 },
    );
    expect(options).toMatchObject({
      disallowedTools: ["WebFetch", "WebSearch"],
      maxTurns: 10,
      maxBudgetUsd: 2,
    });
  });

  it("never gives a budget of nothing or less, which the CLI would refuse", () => {
    const { maxBudgetUsd } = narrowOptions(
      {},
      { maxBudgetUsd: 1 },
      { budgetUsd: undefined, spentUsd: 2 },
    );
    expect(maxBudgetUsd).toBeGreaterThan(0);
    expect(maxBudgetUsd).toBeLessThan(0.001);
  });

  it("lets the run choose the model and the effort, and the schema of its value", () => {
    const schema = { type: "object" };
    const options = narrowOptions(
      { model: "opus", effort: "high" },
      { model: "haiku", schema },
      NO_BUDGET,
    );
    expect(options).toMatchObject({
      model: "haiku",
      effort: "high",
      outputFormat: { type: "json_schema", schema },
    });
  });

  it.each([
    ["a text", "Be brief.", "Be brief.\n\nAnswer in French."],
    ["no text", "", "Answer in French."],
    ["a list", ["One.", "Two."], ["One.", "Two.", "Answer in French."]],
    [
      "the CLI's own",
      { preset: "claude_code" as const },
      { preset: "claude_code", append: "Answer in French." },
    ],
    [
      "the CLI's own with more",
      { preset: "claude_code" as const, append: "Be brief." },
      { preset: "claude_code", append: "Be brief.\n\nAnswer in French." },
    ],
    [
      "a custom one",
      { type: "custom" as const, prompt: "Be brief." },
      { type: "custom", prompt: ["Be brief.", "Answer in French."] },
    ],
  ])("adds the run's system prompt to %s of the profile", (_name, systemPrompt, expected) => {
    const options = narrowOptions(
      { systemPrompt },
      { systemPrompt: "Answer in French." },
      NO_BUDGET,
    );
    expect(options.systemPrompt).toEqual(expected);
  });

  it("passes nothing on that belongs to the worker's machine", () => {
    const hostile = {
      cwd: "/etc",
      env: { A: "b" },
      permissionMode: "bypassPermissions",
      cliPath: "/bin/sh",
    };
    const options = narrowOptions({ cwd: "/srv" }, hostile as object, NO_BUDGET);
    expect(options).toEqual({ cwd: "/srv" });
  });
});
