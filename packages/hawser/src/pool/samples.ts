/** Percentiles of the newest 1,000 measurements, in milliseconds; `undefined` while there are none. */
export interface Percentiles {
  /** The number of all measurements. */
  readonly count: number;
  readonly p50: number | undefined;
  readonly p90: number | undefined;
  readonly p99: number | undefined;
}

/** Keeps the newest measurements. */
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

  summary(): Percentiles {
    const sorted = Float64Array.from(this.#values).sort();
    // Nearest rank, so that each percentile is a measured value. Whole percents keep the ranks exact.
    const percentile = (percent: number) => sorted[Math.ceil((percent * sorted.length) / 100) - 1];
    return {
      count: this.#count,
      p50: percentile(50),
      p90: percentile(90),
      p99: percentile(99),
    };
  }
}
