import { describe, expect, it } from "vitest";
import { ERROR_CODES, type ErrorCode, HawserError } from "../../src/base/index.js";
import { toOmegaError } from "../../src/providers/index.js";

const messageOf = (error: unknown) => toOmegaError(error).message;

describe("toOmegaError()", () => {
  it("gives an error of the kind provider with the original error as cause", () => {
    const error = new HawserError("auth");
    expect(toOmegaError(error)).toEqual({
      kind: "provider",
      message: expect.any(String),
      cause: error,
    });
  });

  it.each(Object.keys(ERROR_CODES) as ErrorCode[])("has a message for %s", (code) => {
    const words =
      /^(failed to run claude CLI: |claude CLI exited with |Claude took too long|The request was cancelled)/;
    expect(messageOf(new HawserError(code, "What happened."))).toMatch(words);
    expect(messageOf(new HawserError(code, "What happened."))).toContain("What happened.");
  });

  it.each(["cli_not_found", "spawn_failed", "cwd_not_found", "invalid_options"] as const)(
    "says for %s that the CLI could not be run",
    (code) => {
      expect(messageOf(new HawserError(code, "No such file."))).toBe(
        "failed to run claude CLI: No such file.",
      );
    },
  );

  it("names the exit status or signal, and the stderr of the CLI", () => {
    const facts = { exitCode: 1, stderrTail: "first\nerror: broken\n" };
    expect(messageOf(new HawserError("process_exited", "It ended.", facts))).toBe(
      "claude CLI exited with exit status: 1: first\nerror: broken",
    );
    expect(messageOf(new HawserError("process_exited", "It ended.", { signal: "SIGKILL" }))).toBe(
      "claude CLI exited with signal: SIGKILL: It ended.",
    );
  });

  it("prefers the answer of the CLI to its stderr", () => {
    const facts = { stderrTail: "a warning", result: { type: "result" } };
    expect(messageOf(new HawserError("auth", "Not logged in", facts))).toBe(
      "claude CLI exited with an error: Not logged in",
    );
  });

  it("has a friendly message for timeout", () => {
    const late = new HawserError("timeout", "The whole call took longer than 3600000 ms.");
    expect(messageOf(late)).toBe(
      "Claude took too long, so the work was stopped. The whole call took longer than 3600000 ms. Try again, or ask for less at once.",
    );
  });

  it.each([[new Error("odd")], ["odd"]])(
    "takes a value that is not a HawserError: %s",
    (thrown) => {
      expect(toOmegaError(thrown)).toEqual({
        kind: "provider",
        message: "failed to run claude CLI: odd",
        cause: thrown,
      });
    },
  );

  it("has a message for a code of a later version", () => {
    const error = Object.assign(new HawserError("auth", "New."), { code: "of_tomorrow" });
    expect(messageOf(error)).toBe("claude CLI exited with an error: New.");
  });
});
