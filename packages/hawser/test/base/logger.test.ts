import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createMask, guardLogger, type Logger, openTrace, SILENT } from "../../src/base/index.js";

const mask = createMask({ A_SECRET: "canary-canary" });

function recorder(): { calls: unknown[][]; logger: Logger } {
  const calls: unknown[][] = [];
  const at =
    (level: string) =>
    (...args: unknown[]) =>
      void calls.push([level, ...args]);
  return {
    calls,
    logger: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") },
  };
}

describe("guardLogger()", () => {
  it("logs nothing without a logger", () => {
    expect(guardLogger(undefined, mask)).toBe(SILENT);
  });

  it("masks and shortens messages and fields", () => {
    const { calls, logger } = recorder();
    guardLogger(logger, mask).warn("about canary-canary", {
      line: "x".repeat(500),
      deep: [{ text: "canary-canary" }],
      pid: 7,
    });
    expect(calls).toEqual([
      ["warn", "about ***", { line: `${"x".repeat(199)}…`, deep: [{ text: "***" }], pid: 7 }],
    ]);
  });

  it("ignores a logger that throws", () => {
    const broken = guardLogger(
      {
        ...SILENT,
        error: () => {
          throw new Error("disk full");
        },
      },
      mask,
    );
    expect(() => broken.error("something")).not.toThrow();
  });
});

describe("guardLogger() with an asynchronous logger", () => {
  it("ignores its rejection", async () => {
    const failures: unknown[] = [];
    const note = (error: unknown) => void failures.push(error);
    process.on("unhandledRejection", note);
    const broken = guardLogger(
      { ...SILENT, info: async () => Promise.reject(new Error("gone")) },
      mask,
    );
    broken.info("something");
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(failures).toEqual([]);
  });
});

describe("openTrace()", () => {
  it("returns undefined unless a file is named", () => {
    expect(openTrace(undefined, mask, () => {})).toBeUndefined();
    expect(openTrace("", mask, () => {})).toBeUndefined();
  });

  it("writes masked JSON lines to a file that only its owner can read", () => {
    const folder = mkdtempSync(join(tmpdir(), "hawser-trace-"));
    const file = join(folder, "trace.jsonl");
    const trace = openTrace(file, mask, () => {});
    trace?.("send", '{"text":"canary-canary"}');
    trace?.("exit", { code: 0 });
    const lines = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([
      { at: expect.any(String), host: process.pid, kind: "send", what: '{"text":"***"}' },
      { at: expect.any(String), host: process.pid, kind: "exit", what: { code: 0 } },
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    rmSync(folder, { recursive: true });
  });

  it("masks a secret of several lines inside a JSON line", () => {
    const folder = mkdtempSync(join(tmpdir(), "hawser-trace-"));
    const secret = "-----BEGIN KEY-----\ncanary-body\n-----END KEY-----";
    const trace = openTrace(join(folder, "t"), createMask({}, [secret]), () => {});
    trace?.("send", JSON.stringify({ key: secret }));
    expect(readFileSync(join(folder, "t"), "utf8")).not.toContain("canary-body");
    rmSync(folder, { recursive: true });
  });

  it("warns once that its file cannot be written, and continues", () => {
    const warnings: string[] = [];
    const trace = openTrace("/nonexistent-folder/trace", mask, (text) => warnings.push(text));
    trace?.("send", 1);
    trace?.("send", 2);
    expect(warnings).toEqual([expect.stringContaining("HAWSER_TRACE cannot be written")]);
  });
});
