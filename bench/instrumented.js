/**
 * Starts `@hawser/otel` with the SDK of OpenTelemetry, as a program does, but with exporters that drop everything: what
 * sending costs depends on the exporter. Loaded only where it is asked for, so that no other measure contains it.
 */
export async function instrumented() {
  const [{ instrument }, traces, metrics] = await Promise.all([
    import("@hawser/otel"),
    import("@opentelemetry/sdk-trace-base"),
    import("@opentelemetry/sdk-metrics"),
  ]);
  const dropped = {
    export: (_, done) => done({ code: 0 }),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const tracerProvider = new traces.BasicTracerProvider({
    spanProcessors: [new traces.BatchSpanProcessor(dropped)],
  });
  const reader = new metrics.PeriodicExportingMetricReader({ exporter: dropped });
  const meterProvider = new metrics.MeterProvider({ readers: [reader] });
  return instrument({ tracerProvider, meterProvider });
}
