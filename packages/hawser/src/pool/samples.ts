export interface SamplesSummary {
  /** All there ever were; the percentiles are of the newest. */
  readonly count: number;
  readonly p50: number | undefined;
  readonly p90: number | undefined;
  readonly p99: number | undefined;
}

/** The newest of many measurements. */
export class Samples {
  readonly #capacity: number;
  readonly #values: number[] = [];
  #count = 0;

  constructor(capacity = 1000) {
    this.#capacity = capacity;
  }

  add(value: number): void {
    this.#values[this.#count % this.#capacity] = value;
    this.#count += 1;
  }

  summary(): SamplesSummary {
    const sorted = Float64Array.from(this.#values).sort();
    // By nearest rank, so that each is a value that was measured. Of whole numbers, for exact ranks.
    const percentile = (percent: number) => sorted[Math.ceil((percent * sorted.length) / 100) - 1];
    return {
      count: this.#count,
      p50: percentile(50),
      p90: percentile(90),
      p99: percentile(99),
    };
  }
}
