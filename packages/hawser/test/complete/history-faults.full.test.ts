import { describe, expect, it, vi } from "vitest";
import { type HawserError, isHawserError } from "../../src/base/index.js";
import { complete, stream } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import { processes } from "../../src/process/index.js";
import type { Scenario } from "../../src/testing/index.js";
import type { History } from "../../src/wire/index.js";
import { onFake } from "../pool/on-fake.helper.js";
import { reusedFake } from "../support/reused-fake.js";

const HISTORY: History = [
  { role: "user", content: "first" },
  { role: "assistant", content: "second" },
  { role: "user", content: "third" },
  { role: "assistant", content: "fourth" },
];

async function onlyFake(scenario: Scenario): Promise<Options> {
  const cli = await reusedFake(scenario);
  return { cliPath: cli.path, history: HISTORY };
}

describe("complete() while the history is delivered", () => {
  it("rejects with process_exited if the process dies", async () => {
    const options = await onlyFake({
      steps: [
        { on: "user", do: [{ default: true }] },
        { on: "user", do: [{ stderr: "out of memory\n" }, { die: "SIGKILL" }] },
      ],
    });
    const error = await failureOf(complete("Hi.", options));
    expect(error).toMatchObject({ code: "process_exited", signal: "SIGKILL" });
    expect(error.stderrTail).toContain("out of memory");
    expect(error.sessionId).toBeDefined();
    expect(processes()).toEqual([]);
  });

  it("rejects with timeout if the CLI does not answer a message", async () => {
    const options = await onlyFake({ steps: [{ on: "user", do: [{ hang: true }] }] });
    const limits = { timeouts: { firstMessageMs: 100 }, closeGraceMs: 50 };
    const error = await failureOf(complete("Hi.", { ...options, ...limits }));
    expect(error).toMatchObject({ code: "timeout", phase: "firstMessage" });
    expect(processes()).toEqual([]);
  });

  it("rejects with timeout when the time of the whole call is over", async () => {
    const options = await onlyFake({ steps: [{ on: "user", do: [{ hang: true }] }] });
    const limits = { timeouts: { totalMs: 300 }, closeGraceMs: 50 };
    const error = await failureOf(complete("Hi.", { ...options, ...limits }));
    expect(error).toMatchObject({ code: "timeout", phase: "total" });
    expect(processes()).toEqual([]);
  });

  it("rejects with aborted, and sends no further message", async () => {
    const abort = new AbortController();
    const cli = await reusedFake({ steps: [{ on: "user", do: [{ hang: true }] }] });
    const options = { cliPath: cli.path, history: HISTORY, signal: abort.signal, closeGraceMs: 50 };
    const failed = failureOf(complete("Hi.", options));
    await sent(cli, "first");
    abort.abort();
    expect(await failed).toMatchObject({ code: "aborted" });
    expect(processes()).toEqual([]);
    const lines = (await cli.recorded()).flatMap((each) => each.lines);
    expect(lines.join()).not.toMatch(/second|third|Hi\./);
  });

  it("rejects with protocol_error if the CLI asks the model about a message", async () => {
    const options = await onlyFake({ steps: [{ on: "user", do: [{ turn: "An answer." }] }] });
    const error = await failureOf(complete("Hi.", options));
    expect(error.code).toBe("protocol_error");
    expect(error.message).toContain("asked the model");
  });

  it("rejects with the CLI's error if the CLI refuses a message", async () => {
    const refused = { is_error: true, result: "No.", api_error_status: 400, num_turns: 0 };
    const options = await onlyFake({
      steps: [{ on: "user", do: [{ init: {} }, { result: refused }] }],
    });
    expect(await failureOf(complete("Hi.", options))).toMatchObject({ code: "api_error" });
  });

  it("refuses retry.attempts together with sessionId, which may hold a part of the history", async () => {
    const sessionId = "0b5e2f0e-6a1c-4d0e-9a3e-1f2d3c4b5a69";
    const options = { history: HISTORY, sessionId, retry: { attempts: 1 } };
    await expect(complete("Hi.", options)).rejects.toMatchObject({
      code: "invalid_options",
      issues: [{ path: "history" }],
    });
  });

  it("delivers the whole history again in the next attempt of retry", async () => {
    const cli = await reusedFake({ steps: [{ on: "user", process: 1, do: [{ die: "SIGKILL" }] }] });
    const retry = { attempts: 1, baseMs: 1 };
    const call = stream("Hi.", { cliPath: cli.path, history: HISTORY, retry });
    const kinds: string[] = [];
    for await (const message of call) {
      kinds.push(String(message.type === "hawser" ? message.subtype : message.type));
    }
    expect((await call.completion).text).toBe("ok");
    expect(kinds).toEqual(["retrying", "system", "assistant", "result"]);
    const [, second] = (await cli.recorded()).filter(({ argv }) => argv.length > 1);
    expect(textsOf(second?.lines ?? [])).toEqual(["first", "second", "third", "fourth", "Hi."]);
  });
});

describe("pool.complete() while the history is delivered", () => {
  it("goes on with another process if the process dies before the prompt", async () => {
    const { pool, cli, options } = await onFake(
      { size: { min: 0, max: 2 } },
      { steps: [{ on: "user", process: 1, times: 2, do: [{ die: "SIGKILL" }] }] },
    );
    const { text } = await pool.complete("Hi.", { ...options, history: HISTORY });
    expect(text).toBe("ok");
    const [, second] = (await cli.recorded()).filter(({ argv }) => argv.length > 1);
    expect(textsOf(second?.lines ?? []).slice(0, 5)).toEqual([
      "first",
      "second",
      "third",
      "fourth",
      "Hi.",
    ]);
  });

  it("hands a process on after an abort only if its reset is confirmed", async () => {
    const { pool, cli, options } = await onFake(
      { size: { min: 0, max: 1 } },
      { steps: [{ on: "user", do: [{ sleep: 150 }, { default: true }] }] },
    );
    const abort = new AbortController();
    const failed = failureOf(
      pool.complete("Hi.", { ...options, history: HISTORY, signal: abort.signal }),
    );
    await sent(cli, "first");
    abort.abort();
    expect(await failed).toMatchObject({ code: "aborted" });
    expect((await pool.complete("Next.", options)).text).toBe("ok");
    const lines = (await cli.recorded()).flatMap((each) => each.lines);
    expect(textsOf(lines)).toEqual(
      ["first", "/clear", "Next.", "/clear"].slice(0, textsOf(lines).length),
    );
    expect(pool.stats().calls.by).toMatchObject({ recycled: 1 });
  });
});

async function failureOf(promise: Promise<unknown>): Promise<HawserError> {
  const error = await promise.then(
    () => undefined,
    (why: unknown) => why,
  );
  if (!isHawserError(error)) throw new Error("it did not fail");
  return error;
}

/** The texts of the messages that a process got, in order. */
function textsOf(lines: readonly string[]): string[] {
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === "user" || type === "assistant")
    .map(({ message: { content } }) =>
      typeof content === "string"
        ? content
        : content.map((block: { text: string }) => block.text).join(""),
    );
}

async function sent(
  cli: { recorded(): Promise<readonly { readonly lines: readonly string[] }[]> },
  text: string,
) {
  await vi.waitFor(
    async () => {
      const lines = (await cli.recorded()).flatMap((each) => each.lines);
      expect(lines.join()).toContain(text);
    },
    { timeout: 20_000, interval: 10 },
  );
}
