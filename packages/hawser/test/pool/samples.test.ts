import { describe, expect, it } from "vitest";
import { Samples } from "../../src/pool/samples.js";
import { fc } from "../support/fc.js";

function summaryOf(values: Iterable<number>, capacity?: number) {
  const samples = new Samples(capacity);
  for (const value of values) samples.add(value);
  return samples.summary();
}

function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

describe("Samples", () => {
  it("has no percentiles before the first value", () => {
    const unknown = { p50: undefined, p90: undefined, p99: undefined };
    expect(summaryOf([])).toEqual({ count: 0, ...unknown });
  });

  it("computes percentiles by nearest rank", () => {
    expect(summaryOf([7])).toEqual({ count: 1, p50: 7, p90: 7, p99: 7 });
    expect(summaryOf([30, 4, 100, 21])).toEqual({ count: 4, p50: 21, p90: 100, p99: 100 });
    expect(summaryOf(upTo(100).reverse())).toEqual({ count: 100, p50: 50, p90: 90, p99: 99 });
    expect(summaryOf(upTo(1000))).toEqual({ count: 1000, p50: 500, p90: 900, p99: 990 });
  });

  it("computes percentiles over the newest N values but counts all", () => {
    expect(summaryOf(upTo(15), 10)).toEqual({ count: 15, p50: 10, p90: 14, p99: 15 });
    expect(summaryOf([9, 9, 9, 1, 2, 3], 3)).toEqual({ count: 6, p50: 2, p90: 3, p99: 3 });
    expect(summaryOf(upTo(5000))).toEqual({ count: 5000, p50: 4500, p90: 4900, p99: 4990 });
  });

  it("has at least p percent of the values at or below a percentile, and fewer below it", () => {
    const values = fc.array(fc.nat(50), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 200 }), (all, capacity) => {
        const newest = all.slice(-capacity);
        const { count, p50, p90, p99 } = summaryOf(all, capacity);
        expect(count).toBe(all.length);
        for (const [percent, value = Number.NaN] of [
          [50, p50],
          [90, p90],
          [99, p99],
        ] as const) {
          const wanted = percent * newest.length;
          expect(newest.filter((each) => each <= value).length * 100).toBeGreaterThanOrEqual(
            wanted,
          );
          expect(newest.filter((each) => each < value).length * 100).toBeLessThan(wanted);
        }
      }),
    );
  });
});
