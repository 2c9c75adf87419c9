import { describe, expect, it } from "vitest";
import { NO_ANSWER, type RequestContext, type RequestHandler } from "../../src/control/index.js";
import { asks, openLine, type Sent, settled, success } from "./line.helper.js";

/** The answer to each request, by id. */
function answersOf(sent: readonly Sent[]) {
  return Object.fromEntries(
    sent.flatMap(({ response }) =>
      response === undefined ? [] : [[response.request_id, response.response ?? response.error]],
    ),
  );
}

function never(): Promise<never> {
  return new Promise(() => {});
}

describe("incoming request", () => {
  it("is answered with the handler's return value", async () => {
    const seen: unknown[] = [];
    const { say, sentUpTo } = await openLine(async (request, { requestId, signal }) => {
      seen.push({ request, requestId, aborted: signal.aborted });
      return { pong: true };
    });
    say(asks("r1", "ping", { n: 1 }));
    expect(await sentUpTo(1)).toEqual([
      {
        type: "control_response",
        response: { subtype: "success", request_id: "r1", response: { pong: true } },
      },
    ]);
    expect(seen).toEqual([{ request: { subtype: "ping", n: 1 }, requestId: "r1", aborted: false }]);
  });

  it("is served while our own initialize is unanswered", async () => {
    const { control, say, sentUpTo } = await openLine(async ({ subtype }) => ({ did: subtype }));
    const initialize = control.request({ subtype: "initialize" });
    const [asked] = await sentUpTo(1);
    say(asks("early", "hook_callback"));
    expect(answersOf(await sentUpTo(2))).toEqual({ early: { did: "hook_callback" } });
    say(success(asked?.request_id, { pid: 1 }));
    expect(await initialize).toEqual({ pid: 1 });
  });

  it("never waits for another request", async () => {
    const { say, sentUpTo } = await openLine(async ({ subtype }) =>
      subtype === "stuck" ? never() : { subtype },
    );
    say(asks("1", "stuck"));
    say(asks("2", "quick"));
    say(asks("3", "stuck"));
    say(asks("4", "quick"));
    expect(answersOf(await sentUpTo(2))).toEqual({
      2: { subtype: "quick" },
      4: { subtype: "quick" },
    });
  });

  it("is handled once, however often it arrives", async () => {
    const release: (() => void)[] = [];
    const { say, sentUpTo, sent } = await openLine(
      () => new Promise((resolve) => release.push(() => resolve({}))),
    );
    say(asks("1", "x"));
    say(asks("1", "x"));
    await settled();
    expect(release).toHaveLength(1);
    release[0]?.();
    await sentUpTo(1);
    await settled();
    expect(sent).toHaveLength(1);
  });

  it("is aborted and not answered when the CLI cancels it", async () => {
    const contexts = new Map<string, RequestContext>();
    const release: (() => void)[] = [];
    const { say, sent, sentUpTo } = await openLine((_, context) => {
      contexts.set(context.requestId, context);
      return new Promise((resolve) => release.push(() => resolve({})));
    });
    say(asks("1", "x"));
    say(asks("2", "x"));
    say({ type: "control_cancel_request", request_id: "1" });
    say({ type: "control_cancel_request", request_id: "unknown" });
    say({ type: "control_cancel_request" });
    await settled();
    expect([...contexts.values()].map(({ signal }) => signal.aborted)).toEqual([true, false]);
    expect(contexts.get("1")?.signal.reason).toMatchObject({ code: "aborted" });
    for (const each of release) each();
    await sentUpTo(1);
    await settled();
    expect(answersOf(sent)).toEqual({ 2: {} });
  });

  it("is aborted and not answered when the line ends", async () => {
    const contexts: RequestContext[] = [];
    const release: (() => void)[] = [];
    const { say, cli, ended } = await openLine((_, context) => {
      contexts.push(context);
      return new Promise((resolve) => release.push(() => resolve({})));
    });
    say(asks("1", "x"));
    await settled();
    await cli.close();
    await ended;
    expect(contexts[0]?.signal.reason).toMatchObject({ code: "closed" });
    release[0]?.();
    await settled();
  });

  it.each<[string, unknown, string]>([
    ["an error", new Error("broken"), "broken"],
    ["a text", "just words", "just words"],
    ["nothing", undefined, "undefined"],
    ["what has no words", Object.create(null), "Something was thrown that cannot be put in words."],
  ])("is answered with an error when its handler throws %s", async (_, thrown, error) => {
    const { say, sentUpTo } = await openLine(async () => {
      throw thrown;
    });
    say(asks("1", "x"));
    expect(await sentUpTo(1)).toEqual([
      { type: "control_response", response: { subtype: "error", request_id: "1", error } },
    ]);
  });

  it("is answered with an error when its handler throws synchronously", async () => {
    const handler = (() => {
      throw new Error("at once");
    }) as unknown as RequestHandler;
    const { say, sentUpTo } = await openLine(handler);
    say(asks("1", "x"));
    expect(answersOf(await sentUpTo(1))).toEqual({ 1: "at once" });
  });

  it.each<[string, () => object]>([
    ["a BigInt", () => ({ big: 1n })],
    ["a cycle", cycle],
    ["a toJSON that throws", () => ({ toJSON: fail })],
    ["a getter that throws", () => Object.defineProperty({}, "x", { enumerable: true, get: fail })],
  ])("is answered with an error when the answer contains %s", async (_, payload) => {
    const { say, sentUpTo } = await openLine(async () => payload());
    say(asks("1", "x"));
    const [sent] = await sentUpTo(1);
    expect(sent?.response).toMatchObject({ subtype: "error", request_id: "1" });
    expect(sent?.response?.error).toMatch(/^The message cannot be written as JSON: /);
  });

  it("gets no answer when its handler declines to answer", async () => {
    const { say, sentUpTo, sent } = await openLine(async ({ subtype }) =>
      subtype === "mute" ? NO_ANSWER : undefined,
    );
    say(asks("1", "mute"));
    say(asks("2", "talk"));
    await sentUpTo(1);
    await settled();
    expect(sent).toEqual([
      { type: "control_response", response: { subtype: "success", request_id: "2" } },
    ]);
  });

  it("may lack an id, a request or a subtype", async () => {
    const { say, sentUpTo, messages, corrupt } = await openLine(async () => ({ fine: true }));
    say({ type: "control_request" });
    say({ type: "control_request", request: { subtype: "x" } });
    say({ type: "control_request", request_id: 5, request: { subtype: "x" } });
    say({ type: "control_request", request_id: "a" });
    say({ type: "control_request", request_id: "b", request: null });
    say({ type: "control_request", request_id: "c", request: { subtype: 5 } });
    say(asks("d", "x"));
    const noSubtype = "The request has no subtype.";
    expect(answersOf(await sentUpTo(4))).toEqual({
      a: noSubtype,
      b: noSubtype,
      c: noSubtype,
      d: { fine: true },
    });
    expect([messages, corrupt]).toEqual([[], []]);
  });
});

function fail(): never {
  throw new Error("no");
}

function cycle(): object {
  const object: Record<string, unknown> = {};
  object["self"] = object;
  return object;
}
