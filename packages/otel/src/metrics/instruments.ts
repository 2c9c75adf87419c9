import {
  type Attributes,
  type Context,
  type Meter,
  type MeterProvider,
  metrics,
  type ObservableResult,
} from "@opentelemetry/api";
import {
  METRICS,
  type MetricRow,
  SCHEMA_URL,
  SCOPE_NAME,
  type TokenMetricRow,
} from "../conventions.js";
import { PACKAGE_VERSION } from "../package-version.js";

/** Records a value of a histogram or a counter. */
type Record = (value: number, attributes: Attributes, context?: Context) => void;

type MetricName = keyof typeof METRICS;
type RecordedName = Exclude<MetricName, ObservedName>;

/** The metrics that are read when they are exported. */
export type ObservedName = "processes" | "queue" | "approvals";

/** Reports the current values of a metric. */
export type Observe = (report: (value: number, attributes: Attributes) => void) => void;

/**
 * The instruments of a meter. Without a provider of the options, it follows the global provider, because the API has
 * no meter that waits for a provider: a program may set the provider after `instrument()`.
 */
export class Instruments {
  readonly #given: MeterProvider | undefined;
  readonly #tokenRows: readonly TokenMetricRow[];
  readonly #observed: Readonly<{ [name in ObservedName]: Observe }>;
  #current: Current | undefined;

  constructor(
    given: MeterProvider | undefined,
    tokenRows: readonly TokenMetricRow[],
    observed: Readonly<{ [name in ObservedName]: Observe }>,
  ) {
    this.#given = given;
    this.#tokenRows = tokenRows;
    this.#observed = observed;
    this.refresh();
  }

  record(name: RecordedName, value: number, attributes: Attributes, context?: Context): void {
    this.refresh().recorders[name](value, attributes, context);
  }

  /** Records the counts that are known. */
  recordTokens(counts: KnownTokens, attributes: Attributes, context?: Context): void {
    for (const { row, record } of this.refresh().tokens) {
      for (const { of, attributes: own } of row.counts) {
        const count = counts[of];
        if (count !== undefined) record(count, { ...attributes, ...own }, context);
      }
    }
  }

  /** Changes to the global provider, if that is another one now. */
  refresh(): Current {
    const provider = this.#given ?? metrics.getMeterProvider();
    if (this.#current?.provider === provider) return this.#current;
    this.#current?.detach();
    this.#current = this.#create(provider);
    return this.#current;
  }

  close(): void {
    this.#current?.detach();
    this.#current = undefined;
  }

  #create(provider: MeterProvider): Current {
    const meter = provider.getMeter(SCOPE_NAME, PACKAGE_VERSION, { schemaUrl: SCHEMA_URL });
    const recorder = (row: MetricRow) => recorderOf(meter, row);
    const detachers = (Object.keys(this.#observed) as ObservedName[]).map((name) =>
      observe(meter, METRICS[name], this.#observed[name]),
    );
    return {
      provider,
      recorders: {
        operationDuration: recorder(METRICS.operationDuration),
        firstChunk: recorder(METRICS.firstChunk),
        agentDuration: recorder(METRICS.agentDuration),
        toolDuration: recorder(METRICS.toolDuration),
        calls: recorder(METRICS.calls),
        cost: recorder(METRICS.cost),
      },
      tokens: this.#tokenRows.map((row) => ({ row, record: recorder(row) })),
      detach: () => {
        for (const detach of detachers) detach();
      },
    };
  }
}

export interface KnownTokens {
  /** Those of the cache included. */
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheCreation?: number | undefined;
}

interface Current {
  readonly provider: MeterProvider;
  readonly recorders: Readonly<{ [name in RecordedName]: Record }>;
  readonly tokens: readonly { readonly row: TokenMetricRow; readonly record: Record }[];
  /** Removes the callbacks of the observed metrics. */
  detach(): void;
}

function recorderOf(meter: Meter, row: MetricRow): Record {
  const { name, unit, meaning: description, boundaries } = row;
  if (row.instrument === "counter") {
    const counter = meter.createCounter(name, { unit, description });
    return (value, attributes, context) => counter.add(value, attributes, context);
  }
  const advice = boundaries && { explicitBucketBoundaries: [...boundaries] };
  const options = { unit, description, ...(advice === undefined ? {} : { advice }) };
  const histogram = meter.createHistogram(name, options);
  return (value, attributes, context) => histogram.record(value, attributes, context);
}

function observe(
  meter: Meter,
  { name, unit, meaning: description }: MetricRow,
  values: Observe,
): () => void {
  const instrument = meter.createObservableUpDownCounter(name, { unit, description });
  const callback = (result: ObservableResult) => {
    values((value, attributes) => result.observe(value, attributes));
  };
  instrument.addCallback(callback);
  return () => instrument.removeCallback(callback);
}
