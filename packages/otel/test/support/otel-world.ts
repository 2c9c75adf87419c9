import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import type { Options } from "hawser";
import {
  type IsolatedEnv,
  isolatedEnv,
  type RecordedRequest,
  type ReplyInput,
  type ScriptEntry,
  SimulatedModel,
} from "hawser/testing";
import { afterAll, afterEach, beforeAll } from "vitest";
import { nativeCli } from "../../../../tools/native-cli.js";
import { type InstrumentOptions, instrument } from "../../src/index.js";
import { type MetricPoint, metricPoints } from "./metric-points.js";

/** The model that tests ask for, so that names of spans do not change with the CLI. */
export const MODEL = "claude-sonnet-4-5-20250929";

/**
 * One simulated model and one isolated environment for all tests of a file, and exporters that keep spans and metrics
 * in memory:
 *
 *     const world = otelWorld();
 *     it("...", async () => {
 *       world.instrument();
 *       world.script("A bowline.");
 *       await complete("Name a knot.", world.options);
 *       expect(world.spans).toHaveLength(2);
 *     });
 *
 * Each test has exporters of its own. The tests of a file must not run concurrently.
 */
export function otelWorld(): OtelWorld {
  const world = new OtelWorld();
  beforeAll(() => world.start());
  afterEach(() => world.endTest());
  afterAll(() => world.close());
  return world;
}

export class OtelWorld {
  readonly #manager = new AsyncLocalStorageContextManager();
  readonly #script: ScriptEntry[] = [];
  #model: SimulatedModel | undefined;
  #place: IsolatedEnv | undefined;
  #telemetry: Telemetry | undefined;

  async start(): Promise<void> {
    context.setGlobalContextManager(this.#manager.enable());
    this.#model = await SimulatedModel.start({ replies: (call) => this.#next(call) });
    this.#place = await isolatedEnv({ baseUrl: this.#model.url });
  }

  /** What the model says in this test. */
  script(...replies: readonly ScriptEntry[]): void {
    this.#script.splice(0, this.#script.length, ...replies);
  }

  /** The options that keep a call inside this world. */
  get options(): Options {
    const { cwd, env } = this.place;
    const cliPath = nativeCli("@anthropic-ai/claude-code");
    return { cliPath, cwd, env, inheritEnv: false, model: MODEL, logger: SILENT };
  }

  get place(): IsolatedEnv {
    if (this.#place === undefined) throw new Error("The world starts before the first test.");
    return this.#place;
  }

  get model(): SimulatedModel {
    if (this.#model === undefined) throw new Error("The world starts before the first test.");
    return this.#model;
  }

  /** Instruments this program until the test ends. */
  instrument(options: InstrumentOptions = {}): Telemetry {
    const spanExporter = new InMemorySpanExporter();
    const tracerProvider = new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(spanExporter)],
    });
    const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({
      exporter: metricExporter,
      exportIntervalMillis: 3_600_000,
    });
    const meterProvider = new MeterProvider({ readers: [reader] });
    const stop = instrument({ tracerProvider, meterProvider, ...options });
    this.#telemetry = { spanExporter, metricExporter, tracerProvider, meterProvider, stop };
    return this.#telemetry;
  }

  /** The spans that have ended. */
  get spans(): readonly ReadableSpan[] {
    return this.#telemetry?.spanExporter.getFinishedSpans() ?? [];
  }

  /** The metrics of now. */
  async metrics(): Promise<readonly MetricPoint[]> {
    const { meterProvider, metricExporter } = this.#telemetry ?? {};
    metricExporter?.reset();
    await meterProvider?.forceFlush();
    return metricPoints(metricExporter?.getMetrics() ?? []);
  }

  async endTest(): Promise<void> {
    this.#script.length = 0;
    this.#telemetry?.stop();
    await this.#telemetry?.tracerProvider.shutdown();
    await this.#telemetry?.meterProvider.shutdown();
    this.#telemetry = undefined;
  }

  async close(): Promise<void> {
    await this.#place?.dispose();
    await this.#model?.close();
    context.disable();
  }

  async #next(call: RecordedRequest): Promise<ReplyInput | undefined> {
    const [entry] = this.#script;
    const isAlways = typeof entry === "object" && "always" in entry;
    if (!isAlways) this.#script.shift();
    const source = isAlways ? entry.always : entry;
    return typeof source === "function" ? source(call) : (source as ReplyInput | undefined);
  }
}

export interface Telemetry {
  readonly spanExporter: InMemorySpanExporter;
  readonly metricExporter: InMemoryMetricExporter;
  readonly tracerProvider: BasicTracerProvider;
  readonly meterProvider: MeterProvider;
  stop(): void;
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
