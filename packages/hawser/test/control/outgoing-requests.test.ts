import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { fc } from "../support/fc.js";
import { failure, openLine, settled, success } from "./line.helper.js";

const LISTENERS = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

describe("outgoing request", () => {
  it("gets its own answer when answers arrive out of order", async () => {
    const { control, sentUpTo, say } = await openLine();
    const answers = ["a", "b", "c"].map((subtype) => control.request({ subtype }));
    const sent = await sentUpTo(3);
    expect(sent.map(({ type, request }) => [type, request])).toEqual([
      ["control_request", { subtype: "a" }],
      ["control_request", { subtype: "b" }],
      ["control_request", { subtype: "c" }],
    ]);
    for (const { request_id, request } of [...sent].reverse()) say(success(request_id, request));
    expect(await Promise.all(answers)).toEqual([
      { subtype: "a" },
      { subtype: "b" },
      { subtype: "c" },
    ]);
  });

  it("gets its own answer for every order of answers", async () => {
    const orders = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(orders, fc.infiniteStream(fc.nat()), async (keys, picks) => {
        const { control, sent, sentUpTo, say } = await openLine();
        const answers: Promise<unknown>[] = [];
        const open: string[] = [];
        const answerOne = () => {
          const [id] = open.splice((picks.next().value ?? 0) % open.length, 1);
          const asked = sent.find(({ request_id }) => request_id === id)?.request;
          say(success(id, { echo: asked }));
          // Late, repeated and foreign answers must be ignored.
          say(success(id, { echo: "again" }));
          say(success("foreign", {}));
        };
        for (const [i, key] of keys.entries()) {
          answers.push(control.request({ subtype: `${i}` }));
          open.push((await sentUpTo(i + 1))[i]?.request_id ?? "");
          if (key % 3 === 0) answerOne();
        }
        while (open.length > 0) answerOne();
        expect(await Promise.all(answers)).toEqual(
          keys.map((_, i) => ({ echo: { subtype: `${i}` } })),
        );
      }),
      { numRuns: 100 },
    );
  });

  it("rejects with timeout, and a later answer is ignored", async () => {
    const { control, sentUpTo, say, messages } = await openLine();
    const late = control.request({ subtype: "slow" }, { timeoutMs: 20 });
    await expect(late).rejects.toMatchObject({ code: "timeout", phase: "control" });
    const [sent] = await sentUpTo(1);
    say(success(sent?.request_id, { too: "late" }));
    const next = control.request({ subtype: "next" });
    say(success((await sentUpTo(2))[1]?.request_id, { in: "time" }));
    expect(await next).toEqual({ in: "time" });
    expect(messages).toEqual([]);
  });

  it("waits 60 seconds by default, and without a limit if the caller asks for that", async () => {
    vi.useFakeTimers();
    try {
      const { control } = await openLine();
      const outcomes: unknown[] = [];
      const note = (answer: Promise<unknown>, name: string) =>
        answer.then(
          () => outcomes.push(`${name} answered`),
          () => outcomes.push(`${name} late`),
        );
      note(control.request({ subtype: "a" }), "default");
      note(control.request({ subtype: "b" }, { timeoutMs: Number.POSITIVE_INFINITY }), "endless");
      note(control.request({ subtype: "c" }, { timeoutMs: 2 ** 31 }), "longer than a timer");
      await vi.advanceTimersByTimeAsync(59_999);
      expect(outcomes).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(outcomes).toEqual(["default late"]);
      await vi.advanceTimersByTimeAsync(10 * 60_000);
      expect(outcomes).toEqual(["default late"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is not sent when its signal is already aborted", async () => {
    const { control, sent } = await openLine();
    const signal = AbortSignal.abort("no need");
    const request = control.request({ subtype: "x" }, { signal });
    await expect(request).rejects.toMatchObject({ code: "aborted", reason: "no need" });
    await settled();
    expect(sent).toEqual([]);
    expect(LISTENERS(signal)).toBe(0);
  });

  it("rejects when its signal aborts", async () => {
    const { control, sentUpTo } = await openLine();
    const { signal, abort } = abortable();
    const request = control.request({ subtype: "x" }, { signal });
    await sentUpTo(1);
    expect(LISTENERS(signal)).toBe(1);
    abort("enough");
    await expect(request).rejects.toMatchObject({ code: "aborted", reason: "enough" });
    expect(LISTENERS(signal)).toBe(0);
  });

  it("removes its abort listener however it ends", async () => {
    const { control, sentUpTo, say, cli } = await openLine();
    const { signal } = abortable();
    const answered = control.request({ subtype: "answered" }, { signal });
    const refused = control.request({ subtype: "refused" }, { signal });
    const late = control.request({ subtype: "late" }, { signal, timeoutMs: 10 });
    const unanswered = control.request({ subtype: "unanswered" }, { signal });
    const [first, second] = await sentUpTo(4);
    say(success(first?.request_id));
    say(failure(second?.request_id, { error: "no" }));
    await Promise.allSettled([answered, refused, late]);
    expect(LISTENERS(signal)).toBe(1);
    await cli.close();
    await Promise.allSettled([unanswered]);
    expect(LISTENERS(signal)).toBe(0);
  });

  it("rejects with a HawserError when the CLI refuses it", async () => {
    const { control, sentUpTo, say } = await openLine();
    const answers = [
      { error: "bad mode", error_code: "invalid_mode" },
      { error: "what?", error_code: "unsupported_request" },
      { error: "Unsupported control request subtype: x" },
      { error: "no" },
      {},
      { error: { not: "words" } },
    ];
    const requests = answers.map(() => control.request({ subtype: "x" }));
    const sent = await sentUpTo(answers.length);
    for (const [i, answer] of answers.entries()) say(failure(sent[i]?.request_id, answer));
    const outcomes = await Promise.allSettled(requests);
    expect(outcomes.map((each) => each.status === "rejected" && facts(each.reason))).toEqual([
      ["control_error", "bad mode", "invalid_mode"],
      ["unsupported_by_cli", "The CLI does not support the request x.", "unsupported_request"],
      ["unsupported_by_cli", "The CLI does not support the request x.", undefined],
      ["control_error", "no", undefined],
      ["control_error", "The CLI refused x.", undefined],
      ["control_error", "The CLI refused x.", undefined],
    ]);
  });

  it("rejects with the reason of the CLI's death, as does every later request", async () => {
    const { control, sentUpTo, cli, ended } = await openLine();
    const waiting = [control.request({ subtype: "a" }), control.request({ subtype: "b" })];
    await sentUpTo(2);
    cli.exit({ code: 3, stderrTail: "out of luck" });
    const died = { code: "process_exited", exitCode: 3, stderrTail: "out of luck" };
    for (const each of waiting) await expect(each).rejects.toMatchObject(died);
    expect(await ended).toMatchObject(died);
    await expect(control.request({ subtype: "c" })).rejects.toMatchObject(died);
  });

  it("rejects with closed after close(), as does every later request", async () => {
    const { control, sentUpTo, cli, ended } = await openLine();
    const waiting = control.request({ subtype: "a" });
    await sentUpTo(1);
    await cli.close();
    await expect(waiting).rejects.toMatchObject({ code: "closed" });
    expect(await ended).toBeUndefined();
    await expect(control.request({ subtype: "b" })).rejects.toMatchObject({ code: "closed" });
  });

  it("rejects at once when it cannot be written", async () => {
    const { control } = await openLine();
    const request = { subtype: "x", big: 1n } as unknown as { subtype: string };
    await expect(control.request(request)).rejects.toMatchObject({ code: "invalid_options" });
  });

  it("is not affected by malformed answers", async () => {
    const { control, sentUpTo, say, messages } = await openLine();
    const request = control.request({ subtype: "x" });
    const [sent] = await sentUpTo(1);
    for (const response of [undefined, null, 5, "text", [], {}, { request_id: 7 }]) {
      say({ type: "control_response", response });
    }
    say("{ not json");
    say("[1,2]");
    say(success(sent?.request_id, { fine: true }));
    expect(await request).toEqual({ fine: true });
    expect(messages).toEqual([]);
  });
});

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason: unknown) => controller.abort(reason) };
}

function facts(error: { code: string; message: string; reason?: unknown }) {
  return [error.code, error.message, error.reason];
}
