import { describe, expect, it } from "vitest";
import { ERROR_CODES, type ErrorCode, HawserError } from "../../src/base/index.js";
import { FLAG_OF } from "../../src/bin/command/call-flags.js";
import { describeError, describeHint } from "../../src/bin/command/describe-error.js";
import { ERROR_ADVICE } from "../../src/bin/command/error-advice.js";
import { OPTION_TABLE } from "../../src/options/index.js";
import { locateCli } from "../../src/process/index.js";

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

/** Words of the library that a person at a shell cannot use. */
function libraryWords(text: string): string[] {
  const words = text.match(/`[^`]+`|\b[a-z]+[A-Z]\w*/g) ?? [];
  return words.filter((word) => {
    const [name = ""] = word.replaceAll("`", "").split(/[^\w]/, 1);
    return Object.hasOwn(OPTION_TABLE, name) || /[a-z][A-Z]/.test(name) || /\w\(/.test(word);
  });
}

describe("describeError()", () => {
  it.each(CODES)("has advice about %s without names of the library", (code) => {
    const { hint } = describeError(new HawserError(code));
    expect(hint).toContain(ERROR_ADVICE[code].hint);
    expect(libraryWords(hint)).toEqual([]);
  });

  it.each(CODES)(
    "has advice about %s for hawser doctor that does not name hawser doctor",
    (code) => {
      expect(describeHint(new HawserError(code))).not.toContain("hawser doctor");
    },
  );

  it("keeps the hint of the place that threw, with flags for options", () => {
    const hint = "Set `resume` or `continue`, or leave `forkSession` out.";
    const issues = [{ path: "forkSession", message: "has nothing to fork" }];
    const error = new HawserError("invalid_options", "forkSession has nothing to fork.", {
      hint,
      issues,
    });
    expect(describeError(error)).toEqual({
      message: "--fork has nothing to fork.",
      hint: "Set --resume or --continue, or leave --fork out.",
    });
  });

  it("leaves the field of another object as it is, also if an option has that name", () => {
    const path = "reviewers[0].systemPrompt";
    const issues = [{ path, message: "is missing" }];
    const error = new HawserError("invalid_options", `${path} is missing.`, { issues });
    expect(describeError(error).message).toBe("reviewers[0].systemPrompt is missing.");
  });

  it("names the flags of the fleet and of the council", () => {
    const hint = "Leave `session` out, or correct `quorum`, `startAfter` or `deadline`.";
    expect(describeHint(new HawserError("invalid_options", "x", { hint }))).toBe(
      "Leave --session out, or correct --quorum, --start-after or --deadline.",
    );
  });

  it.each([
    "Use `listSessions()`.",
    "Look at `configDir`.",
    'Set `cliFrom: "cwd"`.',
    "`pool.complete()` does it.",
  ])("replaces a hint that only a program can follow: %s", (hint) => {
    const error = new HawserError("cli_not_runnable", "x", { hint });
    expect(describeHint(error)).toBe(ERROR_ADVICE.cli_not_runnable.hint);
  });

  it("keeps commands and rules in a hint", () => {
    const hint = "Run `claude update`, or write `Bash(git log)`.";
    expect(describeHint(new HawserError("unsupported_by_cli", "x", { hint }))).toBe(hint);
  });

  it("leaves out the CLI's advice to type /login", () => {
    const error = new HawserError("auth", "Not logged in · Please run /login");
    expect(describeError(error).message).toBe("Not logged in");
  });

  it("names an entry of a list by its flag", () => {
    const issues = [{ path: "allowedTools[1]", message: "has empty parentheses" }];
    const error = new HawserError("invalid_options", "allowedTools[1] has empty parentheses.", {
      issues,
    });
    expect(describeError(error).message).toBe("--allow has empty parentheses.");
  });

  it("names both options of a contradiction by their flags, and leaves words as they are", () => {
    const issues = [
      { path: "continue", message: "contradicts resume: they name different sessions" },
    ];
    const error = new HawserError("invalid_options", `continue ${issues[0]?.message}.`, { issues });
    expect(describeError(error).message).toBe(
      "--continue contradicts --resume: they name different sessions.",
    );
    const tools = [{ path: "disallowedTools", message: "names tools that are no model" }];
    const other = new HawserError("invalid_options", `disallowedTools ${tools[0]?.message}.`, {
      issues: tools,
    });
    expect(describeError(other).message).toBe("--deny names tools that are no model.");
  });

  it("names HAWSER_CLI if that variable names the CLI", () => {
    const told = (env: Record<string, string>, cliPath?: string) => {
      try {
        return locateCli({ env, cliPath }).path;
      } catch (error) {
        return describeError(error as HawserError).message;
      }
    };
    expect(told({ HAWSER_CLI: "/nowhere/claude" })).toContain("The CLI that HAWSER_CLI names");
    expect(told({}, "/nowhere/claude")).toContain("The CLI that --cli names");
  });

  it("has flags only for options that exist", () => {
    for (const option of Object.keys(FLAG_OF)) expect(Object.keys(OPTION_TABLE)).toContain(option);
  });
});
