import { describe, expect, it } from "vitest";
import {
  apiError,
  cut,
  hang,
  rateLimitHeaders,
  SimulatedModel,
  streamError,
  usageLimit,
} from "../../src/testing/index.js";
import { events, HELLO, post, readAll, stream } from "./http-client.helper.js";

describe("SimulatedModel error", () => {
  const TYPES: readonly (readonly [number, string])[] = [
    [400, "invalid_request_error"],
    [401, "authentication_error"],
    [403, "permission_error"],
    [404, "not_found_error"],
    [413, "request_too_large"],
    [429, "rate_limit_error"],
    [500, "api_error"],
    [529, "overloaded_error"],
  ];
  it.each(TYPES)("%i has the body of the API", async (status, type) => {
    await using model = await SimulatedModel.start({
      replies: [apiError(status, { message: "sorry", retryAfter: 7, headers: { "x-extra": "1" } })],
    });
    const response = await stream(model);
    expect(response.status).toBe(status);
    expect(response.headers.get("retry-after")).toBe("7");
    expect(response.headers.get("x-extra")).toBe("1");
    expect(await response.json()).toEqual({
      type: "error",
      error: { type, message: "sorry" },
      request_id: response.headers.get("request-id"),
    });
  });

  it("of a usage limit has the unified headers", async () => {
    const resetsAt = new Date("2030-01-01T00:00:00Z");
    expect(usageLimit({ resetsAt })).toEqual({
      kind: "error",
      status: 429,
      error: { type: "rate_limit_error", message: "Simulated rate limit" },
      headers: {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": "1893456000",
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
        "anthropic-ratelimit-unified-5h-status": "rejected",
        "anthropic-ratelimit-unified-5h-reset": "1893456000",
        "anthropic-ratelimit-unified-5h-utilization": "1",
      },
      delayMs: 0,
    });
    expect(
      rateLimitHeaders({
        status: "allowed_warning",
        resetsAt,
        window: "seven_day",
        utilization: 0.8,
        surpassedThreshold: 0.75,
      }),
    ).toEqual({
      "anthropic-ratelimit-unified-status": "allowed_warning",
      "anthropic-ratelimit-unified-reset": "1893456000",
      "anthropic-ratelimit-unified-representative-claim": "seven_day",
      "anthropic-ratelimit-unified-7d-status": "allowed_warning",
      "anthropic-ratelimit-unified-7d-reset": "1893456000",
      "anthropic-ratelimit-unified-7d-utilization": "0.8",
      "anthropic-ratelimit-unified-7d-surpassed-threshold": "0.75",
    });
  });

  it("in the stream comes after the content, and as a status without streaming", async () => {
    await using model = await SimulatedModel.start({
      replies: [
        streamError("overloaded_error", { message: "busy", after: "half" }),
        streamError("overloaded_error", { message: "busy" }),
        streamError("api_error"),
      ],
    });
    const sent = events(await (await stream(model)).text());
    expect(sent.map((event) => event.type)).toEqual([
      "message_start",
      "content_block_start",
      "ping",
      "content_block_delta",
      "error",
    ]);
    expect(sent.at(-1)).toEqual({
      type: "error",
      error: { type: "overloaded_error", message: "busy" },
    });
    expect((await post(model)).status).toBe(529);
    expect((await post(model)).status).toBe(500);
  });
});

describe("SimulatedModel connection", () => {
  it("can be cut before the first byte", async () => {
    await using model = await SimulatedModel.start({ replies: [cut()] });
    await expect(stream(model)).rejects.toThrow("fetch failed");
  });

  it.each([true, false])("can be cut after the content (stream: %s)", async (streamed) => {
    await using model = await SimulatedModel.start({ replies: [cut("half of it")] });
    const { received, error } = await readAll(model, streamed);
    expect(received).toContain(streamed ? "half of it" : '"role":"assistant"');
    expect(received).not.toContain("end_turn");
    expect(error).toBeDefined();
  });

  it("can hang before the first byte until close()", async () => {
    const model = await SimulatedModel.start({ replies: [hang()] });
    const response = stream(model);
    const failed = expect(response).rejects.toThrow("fetch failed");
    await model.waitFor((request) => request.kind === "call");
    await model.close();
    await failed;
  });

  it.each([true, false])("can hang in the middle (stream: %s) until close()", async (on) => {
    const model = await SimulatedModel.start({ replies: [hang("half of it")] });
    const seen = on ? "half of it" : '"role":"assistant"';
    const { received, error } = await readAll(model, on, (soFar) => {
      if (soFar.includes(seen)) void model.close();
    });
    expect(received).toContain(seen);
    expect(error).toBeDefined();
  });

  it("can be left in the middle of an answer, and other clients are served", async () => {
    await using model = await SimulatedModel.start({ replies: ["x".repeat(8_000_000), "next"] });
    const leaver = new AbortController();
    const body = JSON.stringify({ ...HELLO, stream: true });
    const init = { method: "POST", body, signal: leaver.signal };
    await fetch(`${model.url}/v1/messages`, init);
    leaver.abort();
    expect(await (await post(model)).json()).toMatchObject({
      content: [{ type: "text", text: "next" }],
    });
  });
});
