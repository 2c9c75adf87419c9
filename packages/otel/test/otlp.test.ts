import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { complete } from "hawser";
import { describe, expect, it, onTestFinished } from "vitest";
import { SCHEMA_URL, SEMCONV_VERSION } from "../src/conventions.js";
import { instrument } from "../src/index.js";
import { PACKAGE_VERSION } from "../src/package-version.js";
import { MODEL, otelWorld } from "./support/otel-world.js";
import { OtlpReceiver } from "./support/otlp-receiver.js";

const world = otelWorld();

describe("the exporters for OTLP", () => {
  it("send the same spans and metrics over HTTP", async () => {
    const receiver = await OtlpReceiver.start();
    onTestFinished(() => receiver.close());
    const memory = new InMemorySpanExporter();
    const tracerProvider = new BasicTracerProvider({
      spanProcessors: [
        new SimpleSpanProcessor(memory),
        new BatchSpanProcessor(new OTLPTraceExporter({ url: `${receiver.url}/v1/traces` })),
      ],
    });
    const exporter = new OTLPMetricExporter({ url: `${receiver.url}/v1/metrics` });
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const meterProvider = new MeterProvider({ readers: [reader] });
    const stop = instrument({ tracerProvider, meterProvider });
    onTestFinished(stop);
    world.script("A bowline.");
    await complete("Name a knot.", world.options);
    const spans = memory.getFinishedSpans();
    await tracerProvider.shutdown();
    await meterProvider.shutdown();

    expect(receiver.scopes("traces")).toEqual([
      { name: "@hawser/otel", version: PACKAGE_VERSION, schemaUrl: SCHEMA_URL },
    ]);
    expect(SCHEMA_URL).toContain(SEMCONV_VERSION);
    expect(receiver.spans).toEqual(
      spans.map((span) => ({
        name: span.name,
        traceId: span.spanContext().traceId,
        spanId: span.spanContext().spanId,
        parentSpanId: span.parentSpanContext?.spanId ?? "",
        // OTLP counts the kinds from 1.
        kind: span.kind + 1,
        attributes: span.attributes,
      })),
    );
    expect(receiver.spans.map(({ name }) => name).sort()).toEqual([
      `chat ${MODEL}`,
      "invoke_agent",
    ]);
    expect(receiver.metricNames).toEqual([
      "gen_ai.client.operation.duration",
      "gen_ai.client.operation.time_to_first_chunk",
      "gen_ai.client.token.usage",
      "gen_ai.invoke_agent.duration",
      "hawser.approvals.pending",
      "hawser.calls",
      "hawser.cost",
    ]);
  });
});
