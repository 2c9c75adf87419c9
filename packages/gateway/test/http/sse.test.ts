import { describe, expect, it } from "vitest";
import { encodeSse, type SseEvent, sseResponse } from "../../src/http/sse.js";
import { testExchange } from "../support/gateway-world.js";
import { readSse } from "../support/read-sse.js";

async function* numbers(count: number): AsyncGenerator<SseEvent, undefined> {
  for (let n = 1; n <= count; n += 1) yield { event: "n", data: String(n) };
}

describe("sseResponse()", () => {
  it("sends each event with its name and id, and ends the exchange after the last", async () => {
    const exchange = testExchange();
    let isEnded = false;
    exchange.onEnd(() => {
      isEnded = true;
    });
    const response = sseResponse(exchange, numbers(2));
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(await response.text()).toBe("event: n\ndata: 1\n\nevent: n\ndata: 2\n\n");
    expect(isEnded).toBe(true);
    expect(exchange.signal.aborted).toBe(false);
  });

  it("reads no event before the client takes it", async () => {
    let read = 0;
    async function* counted() {
      for await (const event of numbers(1_000_000)) {
        read += 1;
        yield event;
      }
    }
    const reader = sseResponse(testExchange(), counted()).body?.getReader();
    await reader?.read();
    await reader?.read();
    await new Promise(setImmediate);
    expect(read).toBe(2);
    await reader?.cancel();
  });

  it("sends the heartbeat while the events are silent, and loses none of them", async () => {
    let proceed = () => {};
    async function* silent(): AsyncGenerator<SseEvent, undefined> {
      yield { data: "1" };
      await new Promise<void>((resolve) => {
        proceed = resolve;
      });
      yield { data: "2" };
    }
    const options = { heartbeat: { event: "ping", data: "{}" }, heartbeatMs: 5 };
    const seen: string[] = [];
    for await (const { event, data } of readSse(sseResponse(testExchange(), silent(), options))) {
      seen.push(event ?? data);
      if (seen.filter((each) => each === "ping").length === 3) proceed();
    }
    expect(seen.filter((each) => each !== "ping")).toEqual(["1", "2"]);
  });

  it("ends with the failure event if the events throw", async () => {
    async function* failing(): AsyncGenerator<SseEvent, undefined> {
      yield { data: "1" };
      throw new Error("broken");
    }
    const failure = (error: unknown) => ({ event: "error", data: String(error) });
    const response = sseResponse(testExchange(), failing(), { failure });
    expect(await response.text()).toBe("data: 1\n\nevent: error\ndata: Error: broken\n\n");
  });

  it("aborts the exchange when the client cancels, even while an event is awaited", async () => {
    const exchange = testExchange();
    let isOver = false;
    async function* waiting(): AsyncGenerator<SseEvent, undefined> {
      try {
        yield { data: "1" };
        await new Promise((_, reject) => {
          exchange.signal.addEventListener("abort", () => reject(new Error("aborted")));
        });
      } finally {
        isOver = true;
      }
    }
    const reader = sseResponse(exchange, waiting()).body?.getReader();
    await reader?.read();
    const second = reader?.read();
    await reader?.cancel();
    expect(await second).toEqual({ done: true, value: undefined });
    await new Promise(setImmediate);
    expect({ isAborted: exchange.signal.aborted, isOver }).toEqual({
      isAborted: true,
      isOver: true,
    });
  });
});

describe("encodeSse()", () => {
  it("keeps data with line breaks in one event", () => {
    expect(encodeSse({ id: "7", data: "a\nb\r\nc" })).toBe("id: 7\ndata: a\ndata: b\ndata: c\n\n");
  });
});
