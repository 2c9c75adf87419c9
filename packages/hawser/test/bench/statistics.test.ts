import { describe, expect, it } from "vitest";
import { intervalOf, median, quantile, verdictOf } from "../../../../bench/statistics.js";

describe("median() and quantile()", () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[10, 9, 100], 10],
  ])("median of %j is %d, in the order of numbers", (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it("the quantile is a value that occurs", () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect([0, 0.5, 0.99, 1].map((share) => quantile(values, share))).toEqual([1, 50, 99, 100]);
  });
});

describe("intervalOf()", () => {
  const noisy = [9, 12, 10, 11, 8, 13, 10, 12, 9, 11];

  it("of equal samples is that sample", () => {
    expect(intervalOf(median, [[5, 5, 5, 5, 5, 5]])).toEqual([5, 5]);
  });

  it("holds the median, and is narrower than the range of the samples", () => {
    const [low, high] = intervalOf(median, [noisy]);
    expect(low).toBeGreaterThan(8);
    expect(low).toBeLessThan(10.5);
    expect(high).toBeGreaterThan(10.5);
    expect(high).toBeLessThan(13);
  });

  // The median of a resample is at most the k-th of n samples with the probability that at least half of n
  // draws are among the first k. So the binomial distribution gives the limits.
  it.each([
    { count: 11, low: [3, 3], high: [9, 9] },
    // A 90 % interval would be [43, 59], a 99 % interval [38, 64].
    { count: 101, low: [40, 42], high: [60, 62] },
  ])("of 1 to $count has the limits of the binomial distribution", ({ count, low, high }) => {
    const interval = intervalOf(median, [Array.from({ length: count }, (_, index) => index + 1)]);
    expect(interval[0]).toBeGreaterThanOrEqual(Number(low[0]));
    expect(interval[0]).toBeLessThanOrEqual(Number(low[1]));
    expect(interval[1]).toBeGreaterThanOrEqual(Number(high[0]));
    expect(interval[1]).toBeLessThanOrEqual(Number(high[1]));
  });

  it("is the same for the same seed", () => {
    expect(intervalOf(median, [noisy], 7)).toEqual(intervalOf(median, [noisy], 7));
  });

  it("draws whole rounds, so that noise which all columns share leaves a ratio alone", () => {
    const ratio = (ours: number[], theirs: number[]) => median(ours) / median(theirs);
    const half = noisy.map((value) => value / 2);
    expect(intervalOf(ratio, [half, noisy])).toEqual([0.5, 0.5]);
  });

  it("refuses columns with different numbers of rounds, and no rounds", () => {
    expect(() => intervalOf(median, [noisy, [1]])).toThrow("number of rounds");
    expect(() => intervalOf(median, [[]])).toThrow("no sample");
  });
});

describe("verdictOf()", () => {
  it.each([
    [[0.3, 0.4], { atMost: 0.45 }, "met"],
    [[0.3, 0.45], { atMost: 0.45 }, "met"],
    [[0.4, 0.5], { atMost: 0.45 }, "not_decided"],
    [[0.46, 0.5], { atMost: 0.45 }, "missed"],
    [[1, 1.2], { atLeast: 1 }, "met"],
    [[0.9, 1.1], { atLeast: 1 }, "not_decided"],
    [[0.8, 0.9], { atLeast: 1 }, "missed"],
  ] as const)("of %j with the target %j is %s", ([low, high], target, expected) => {
    expect(verdictOf([low, high], target, 6)).toBe(expected);
  });

  it("is not_decided with fewer than six rounds", () => {
    expect(verdictOf([1, 2], { atMost: 3 }, 5)).toBe("not_decided");
    expect(verdictOf([4, 5], { atMost: 3 }, 5)).toBe("not_decided");
  });
});
