import { Console } from "node:console";
import { Writable } from "node:stream";
import pino from "pino";
import { describe, expect, it } from "vitest";
import winston from "winston";
import { createMask, guardLogger, type Logger } from "../../src/base/index.js";

/** A stream that keeps its input. */
function sink(): { stream: Writable; text: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => chunks.join("") };
}

const LOGGERS: Readonly<Record<string, (stream: Writable) => Logger>> = {
  console: (stream) => new Console(stream),
  pino: (stream) => pino({ level: "debug" }, stream),
  "a child of pino": (stream) => pino({ level: "debug" }, stream).child({ part: "hawser" }),
  winston: (stream) =>
    winston.createLogger({
      level: "debug",
      format: winston.format.json(),
      transports: [new winston.transports.Stream({ stream })],
    }),
};

describe.each(Object.entries(LOGGERS))("guardLogger() on %s", (_, make) => {
  const mask = createMask({ A_SECRET: "canary-canary" });

  it.each(["debug", "info", "warn", "error"] as const)("passes on the fields of %s()", (level) => {
    const { stream, text } = sink();
    guardLogger(make(stream), mask)[level]("exit", { code: 7, key: "canary-canary" });
    expect(text()).toContain("exit");
    expect(text()).toMatch(/"?code"?: ?7/);
    expect(text()).not.toContain("canary");
  });

  it("passes on an error with its message, its stack and its cause, masked", () => {
    const { stream, text } = sink();
    const error = new TypeError("no canary-canary here", { cause: new Error("the reason") });
    guardLogger(make(stream), mask).error("canUseTool threw", { error });
    expect(text()).toContain("canUseTool threw");
    expect(text()).toContain("no *** here");
    expect(text()).toContain("TypeError");
    expect(text()).toContain("logger-libraries.test");
    expect(text()).toContain("the reason");
    expect(text()).not.toContain("canary");
  });

  it("passes on a message without fields", () => {
    const { stream, text } = sink();
    guardLogger(make(stream), mask).info("started");
    expect(text()).toContain("started");
    expect(text()).not.toContain("undefined");
  });
});

describe("guardLogger()", () => {
  it("passes an Error as `error`, and shortens an endless message", () => {
    const errors: unknown[] = [];
    const note = (_: string, fields?: Record<string, unknown>) =>
      void errors.push(fields?.["error"]);
    const logger = guardLogger(
      { debug: note, info: note, warn: note, error: note },
      createMask({}),
    );
    const thrown = Object.assign(new Error("x".repeat(1e6)), { code: "EX" });
    logger.error("it failed", { error: thrown });
    const [error] = errors as Error[];
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ code: "EX", name: "Error" });
    expect(JSON.stringify(error).length).toBeLessThan(20_000);
  });
});
