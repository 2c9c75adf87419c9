import { execFileSync } from "node:child_process";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import {
  createMask,
  ERROR_CODES,
  type ErrorCode,
  HawserError,
  isHawserError,
} from "../../src/base/index.js";
import { BUILT_ROOT } from "../support/built.js";
import { fc } from "../support/fc.js";

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

describe("table of error codes", () => {
  it("has every error code", () => {
    expect(CODES.sort()).toEqual(
      `aborted already_consumed api_error approval_expired argument_too_long auth billing
       budget_refused cli_not_found cli_not_runnable closed control_error cwd_not_found database_unavailable
       embedded_unavailable host_lost invalid_options lease_lost max_budget max_output_tokens max_turns mcp_failed message_too_large model_not_found nested_session
       not_supported overloaded pool_closed pool_full process_exited prompt_too_long protocol_error
       rate_limited refusal root_refused run_cancelled session_in_use session_not_found spawn_failed
       storage_failed structured_output timeout unsupported_by_cli usage_limit`.split(/\s+/),
    );
  });

  it.each(CODES)("%s has a sentence, a hint, an HTTP status and an exit code", (code) => {
    const row = ERROR_CODES[code];
    expect(row.sentence).toMatch(/^[A-Z].*\.$/);
    expect(row.hint).toMatch(/\w.*\.$/);
    expect(row.httpStatus).toBeGreaterThanOrEqual(400);
    expect(row.httpStatus).toBeLessThan(600);
    expect(row.exitCode).toBeGreaterThan(0);
    expect(row.exitCode).toBeLessThan(256);
  });
});

describe("HawserError", () => {
  it("takes message, hint and retryable from the table", () => {
    const error = new HawserError("overloaded");
    expect({ ...error, message: error.message, name: error.name }).toEqual({
      code: "overloaded",
      name: "HawserError",
      message: ERROR_CODES.overloaded.sentence,
      hint: ERROR_CODES.overloaded.hint,
      retryable: true,
    });
  });

  it("keeps the facts that it is given and leaves the others absent", () => {
    const cause = new Error("why");
    const error = new HawserError("timeout", "Too slow.", {
      cause,
      hint: "Wait.",
      retryable: false,
      phase: "idle",
      sessionId: "s",
      partialText: "so far",
    });
    expect(error.cause).toBe(cause);
    expect({ ...error }).toEqual({
      code: "timeout",
      hint: "Wait.",
      retryable: false,
      phase: "idle",
      sessionId: "s",
      partialText: "so far",
    });
    expect("exitCode" in error).toBe(false);
  });

  it("has the HTTP status of its code, which it neither prints nor serialises", () => {
    const error = new HawserError("rate_limited");
    expect(error.httpStatus).toBe(429);
    expect(error.withMissing({ sessionId: "s" }).httpStatus).toBe(429);
    expect(Object.keys(error)).toEqual(["code", "hint", "retryable"]);
    expect(error.toJSON()).not.toHaveProperty("httpStatus");
    expect(inspect(error)).not.toContain("httpStatus");
  });

  it("is recognized by its brand, also from another installed copy", () => {
    const other = Object.assign(new Error("x"), {
      [Symbol.for("hawser.error")]: true,
      code: "auth",
    });
    expect(isHawserError(new HawserError("auth"))).toBe(true);
    expect(isHawserError(new HawserError("auth"), "auth")).toBe(true);
    expect(isHawserError(new HawserError("auth"), "closed")).toBe(false);
    expect(isHawserError(other, "auth")).toBe(true);
    for (const no of [undefined, null, "auth", {}, new Error("auth")])
      expect(isHawserError(no)).toBe(false);
  });

  it("serialises an error that was given as a reason", () => {
    const error = new HawserError("aborted", undefined, { reason: new Error("stop pressed") });
    expect(JSON.parse(JSON.stringify(error)).reason).toEqual({
      name: "Error",
      message: "stop pressed",
    });
  });

  it("serialises its message and its causes", () => {
    const error = new HawserError("spawn_failed", "No.", {
      cause: new Error("inner", { cause: "deep" }),
    });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "HawserError",
      code: "spawn_failed",
      message: "No.",
      hint: ERROR_CODES.spawn_failed.hint,
      retryable: true,
      cause: { name: "Error", message: "inner", cause: "deep" },
    });
  });
});

describe("HawserError.with()", () => {
  it("adds facts that are absent, and keeps facts that are present", () => {
    const cause = new Error("why");
    const error = new HawserError("timeout", "Slow.", { phase: "boot", cause });
    const more = error.withMissing({ phase: "total", sessionId: "s", cliPath: "/claude" });
    expect({ ...more, message: more.message }).toEqual({
      ...error,
      message: "Slow.",
      sessionId: "s",
      cliPath: "/claude",
    });
    expect(more.cause).toBe(cause);
    expect(more.stack).toBe(error.stack);
  });

  it("masks the facts that it adds", () => {
    const more = new HawserError("auth").withMissing(
      { partialText: "x canary-1 y" },
      createMask({}, ["canary-1"]),
    );
    expect(more.partialText).toBe("x *** y");
  });
});

describe("HawserError masking", () => {
  const secret = 'canary/with "quotes"\\and\nlines';
  const mask = createMask({ SERVICE_TOKEN: secret, HARMLESS: "visible-value" });

  it("leaves no secret in the printed or serialised error", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          "message",
          "hint",
          "stderrTail",
          "partialText",
          "reason",
          "lastMessage",
          "result",
          "cause",
        ),
        fc.constantFrom<(text: string) => unknown>(
          (text) => text,
          (text) => ({ deep: [{ er: text }] }),
          (text) => ({ [text]: 1 }),
          (text) => new Error(text),
          (text) => new AggregateError([new Error(text)], "several"),
          (text) => Object.assign(new Error("outer", { cause: new Error(text) }), { path: text }),
        ),
        fc.string(),
        (field, wrap, around) => {
          const text = `${around}${secret}${around}`;
          const error =
            field === "message"
              ? new HawserError("auth", text, {}, mask)
              : new HawserError(
                  "auth",
                  "m",
                  { [field]: field === "hint" ? text : wrap(text) },
                  mask,
                );
          const printed = [
            inspect(error, { depth: 9, showHidden: true }),
            JSON.stringify(error),
            String(error),
            String(error.stack),
          ].join("\n");
          expect(printed).not.toContain("canary/with");
        },
      ),
    );
  });

  it("prints no secret when the error ends a program", () => {
    const program = `
      import { HawserError } from ${JSON.stringify(BUILT_ROOT)};
      throw new HawserError("auth", "key " + process.env.MY_API_KEY, {
        cause: new Error(process.env.MY_API_KEY),
        result: { deep: [process.env.MY_API_KEY] },
      });`;
    let stderr = "";
    try {
      execFileSync(process.execPath, ["--input-type=module", "-e", program], {
        env: { MY_API_KEY: "canary-of-the-environment" },
        stdio: "pipe",
      });
    } catch (error) {
      stderr = String((error as { stderr: Buffer }).stderr);
    }
    expect(stderr).toContain("HawserError: key ***");
    expect(stderr).not.toContain("canary-of-the-environment");
  });

  it.each([
    ["sk-ant-api03-AbCdEf123456", "***"],
    ["Authorization: Bearer abc.def-ghi", "Authorization: Bearer ***"],
    ['{"authorization":"Basic Zm9vOmJhcg=="}', '{"authorization":"Basic ***"}'],
    ['{\\"x-api-key\\":\\"abcdefgh\\"}', '{\\"x-api-key\\":\\"***\\"}'],
    ["https://me:hunter22@host/x", "https://me:***@host/x"],
    ["ghp_0123456789abcdef0123", "***"],
    ["nothing to hide here, not even a token", "nothing to hide here, not even a token"],
    ["visible-value", "visible-value"],
  ])("turns %s into %s", (text, masked) => {
    expect(mask(text)).toBe(masked);
  });

  it("takes linear time for any text", () => {
    for (const piece of ["a-", "eyJ", "a://b:", "Bearer ", "sk-", "authorization: "]) {
      mask(piece.repeat(2_000_000 / piece.length));
    }
  });

  it("returns a value without secrets unchanged, the same object", () => {
    const reason = { why: ["because"] };
    expect(new HawserError("aborted", undefined, { reason }).reason).toBe(reason);
  });
});
