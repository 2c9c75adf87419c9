import { describe, expect, it } from "vitest";
import { CALL_FLAGS, callOptions, durationOf } from "../../src/bin/command/call-flags.js";
import { parseFlags } from "../../src/bin/command/flags.js";

const parse = (...args: string[]) => parseFlags(args, CALL_FLAGS);

describe("the flags of a call", () => {
  it("become options, and only those that were given", () => {
    const { flags, words } = parse(
      ...["-m", "opus", "--tools=Read, Grep", "--allow", "Edit", "--allow=Bash(git *)", "one"],
      ...["--max-turns", "3", "--budget", "$0.50", "two", "--", "--three"],
    );
    expect(words).toEqual(["one", "two", "--three"]);
    expect(callOptions(flags)).toEqual({
      model: "opus",
      tools: ["Read", "Grep"],
      allowedTools: ["Edit", "Bash(git *)"],
      maxTurns: 3,
      maxBudgetUsd: 0.5,
    });
  });

  it("take an optional value only after =", () => {
    const bare = parse("--agent", "hello");
    expect(bare.words).toEqual(["hello"]);
    expect(callOptions(bare.flags)).toEqual({ preset: "agent" });
    expect(callOptions(parse("--agent=critic").flags)).toEqual({
      preset: "agent",
      agent: "critic",
    });
  });

  it("turn all tools on or off", () => {
    const all = { type: "preset", preset: "claude_code" };
    expect(callOptions(parse("--tools", "all").flags)).toEqual({ tools: all });
    expect(callOptions(parse("--tools=").flags)).toEqual({ tools: [] });
  });

  it.each([
    [["--modle", "x"], "Unknown option --modle.", "Did you mean --model?"],
    [["--zzzzzz"], "Unknown option --zzzzzz.", "See `hawser --help`."],
    [["-x"], "Unknown option -x.", "See `hawser --help`."],
    [["--model"], "--model needs a value: --model <name>.", "See `hawser --help`."],
    [["--fork=yes"], "--fork does not take a value.", "See `hawser --help`."],
    [["--model=a", "-m", "b"], "--model was given twice.", "See `hawser --help`."],
  ])("are refused with a suggestion if they are wrong: %j", (args, message, hint) => {
    const failing = () => parse(...args);
    expect(failing).toThrow(expect.objectContaining({ code: "invalid_options", message, hint }));
  });
});

it.each([
  ["90", 90_000],
  ["1.5s", 1500],
  ["5m", 300_000],
  ["1h", 3_600_000],
  ["250ms", 250],
])("durationOf() reads %s as %d ms", (text, ms) => {
  expect(durationOf("--timeout", text)).toBe(ms);
});
