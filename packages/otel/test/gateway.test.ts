import { SpanKind, trace } from "@opentelemetry/api";
import { createPool } from "hawser";
import { hang } from "hawser/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createGateway } from "../../gateway/src/index.js";
import { rememberedThings } from "../src/instrument.js";
import { MODEL, otelWorld } from "./support/otel-world.js";
import { childrenOf } from "./support/span-tree.js";

const world = otelWorld();

describe("the span of a gateway request", () => {
  it("is below the active span, as INTERNAL, if the HTTP server is instrumented too", async () => {
    const { tracerProvider } = world.instrument();
    const gateway = openGateway();
    const tracer = tracerProvider.getTracer("http");
    await tracer.startActiveSpan("POST", { kind: SpanKind.SERVER }, async (span) => {
      const headers = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` };
      await gateway.fetch(new Request("http://localhost/v1/models", { headers }));
      span.end();
    });
    const [server] = world.spans.filter(({ name }) => name === "POST");
    if (server === undefined) throw new Error("There is no span of the server.");
    const [request] = childrenOf(world.spans, server);
    expect(request).toMatchObject({ name: "GET /v1/models", kind: SpanKind.INTERNAL });
  });

  it("continues the trace of the client if the server was started inside a span that has ended", async () => {
    const { tracerProvider } = world.instrument();
    const gateway = openGateway();
    await tracerProvider.getTracer("user").startActiveSpan("start", async (span) => {
      span.end();
      const headers = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` };
      await gateway.fetch(new Request("http://localhost/v1/models", { headers }));
      await gateway.fetch(new Request("http://localhost/v1/models"));
    });
    const [request, without] = world.spans.filter(({ name }) => name === "GET /v1/models");
    expect(request?.kind).toBe(SpanKind.SERVER);
    expect(request?.parentSpanContext?.spanId).toBe("b".repeat(16));
    expect(without?.parentSpanContext).toBeUndefined();
  });

  it("has one name for all methods that are not known", async () => {
    world.instrument();
    const gateway = openGateway();
    await gateway.fetch(new Request("http://localhost/v1/models", { method: "INVENTED" }));
    const [request] = world.spans;
    expect(request?.name).toBe("HTTP");
    expect(request?.attributes["http.request.method"]).toBe("_OTHER");
  });

  it("is no failure if the client of a subscription leaves", async () => {
    world.instrument();
    const gateway = openGateway();
    const controller = new AbortController();
    const { signal } = controller;
    const url = "http://localhost/hawser/v1/events";
    const { body } = await gateway.fetch(new Request(url, { signal }));
    controller.abort();
    await body?.cancel().catch(() => {});
    await vi.waitFor(() => expect(world.spans).toHaveLength(1));
    expect(world.spans[0]?.status.code).toBe(0);
    expect(world.spans[0]?.attributes["error.type"]).toBeUndefined();
  });

  it.each([
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "nonsense",
  ])("has no parent if traceparent is not valid: %s", async (traceparent) => {
    world.instrument();
    const gateway = openGateway();
    await gateway.fetch(new Request("http://localhost/v1/models", { headers: { traceparent } }));
    expect(world.spans.map(({ parentSpanContext }) => parentSpanContext)).toEqual([undefined]);
  });

  it("is not sampled if the client's trace is not", async () => {
    world.instrument();
    const gateway = openGateway();
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
    await gateway.fetch(new Request("http://localhost/v1/models", { headers: { traceparent } }));
    expect(world.spans).toEqual([]);
  });

  it("has error.type `aborted` if the client leaves, and so have the spans of the call", async () => {
    world.instrument();
    world.script(hang());
    const gateway = openGateway();
    const controller = new AbortController();
    const asked = world.model.waitFor(({ kind }) => kind === "call");
    const answer = gateway.fetch(
      new Request("http://localhost/v1/messages", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          model: MODEL,
          max_tokens: 100,
          messages: [{ role: "user", content: "Name a knot." }],
        }),
        signal: controller.signal,
      }),
    );
    await asked;
    controller.abort();
    await answer.catch(() => {});
    await vi.waitFor(() => {
      const failed = world.spans.map(({ name, attributes }) => [name, attributes["error.type"]]);
      expect(failed).toContainEqual(["POST /v1/messages", "aborted"]);
      expect(failed).toContainEqual(["invoke_agent", "aborted"]);
    });
    expect(trace.getActiveSpan()).toBeUndefined();
    await gateway.close();
  });

  it("is forgotten when the answer was sent", async () => {
    world.instrument();
    const gateway = openGateway();
    await gateway.fetch(new Request("http://localhost/v1/models"));
    await gateway.fetch(new Request("http://localhost/health"));
    expect(world.spans.map(({ name }) => name)).toEqual(["GET /v1/models"]);
    expect(rememberedThings()).toBe(0);
  });
});

function openGateway() {
  const pool = createPool({ size: { min: 0, max: 1 } });
  const gateway = createGateway({ pool, options: world.options });
  onTestFinished(async () => {
    await gateway.close();
    await pool.close();
  });
  return gateway;
}
