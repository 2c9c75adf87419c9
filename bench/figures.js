// The rows of the results. Pages quote a row by its `id`. Values are rounded as they are shown, so that
// every page shows the same. The samples of a row have one value for each round.
import { intervalOf, median, quantile, verdictOf } from "./statistics.js";

/**
 * A row that compares Hawser's median with another one. The target and the interval are about the ratio.
 * @param {{ id: string, figure: string, against: string, hawser: number[], other: number[],
 *   atMost?: number, atLeast?: number }} row
 */
export function ratioFigure({ id, figure, against, hawser, other, ...target }) {
  const ratio = (ours, theirs) => median(ours) / median(theirs);
  return {
    id,
    figure,
    hawser: rounded(median(hawser)),
    against,
    other: rounded(median(other)),
    ratio: inHundredths(ratio(hawser, other)),
    ...judged(ratio, [hawser, other], target, inHundredths),
  };
}

/**
 * A row with a value of Hawser alone: the median of its samples, or another statistic of several columns
 * of samples. The target and the interval are about the value.
 * @param {{ id: string, figure: string, columns: number[][],
 *   statistic?: (...columns: number[][]) => number, atMost?: number,
 *   atLeast?: number }} row
 */
export function valueFigure({ id, figure, columns, statistic = median, ...target }) {
  return {
    id,
    figure,
    hawser: rounded(statistic(...columns)),
    ...judged(statistic, columns, target, rounded),
  };
}

function judged(statistic, columns, target, round) {
  const rounds = columns[0].length;
  const interval = intervalOf(statistic, columns);
  const hasTarget = Object.keys(target).length > 0;
  return {
    interval: interval.map(round),
    rounds,
    ...target,
    ...(hasTarget ? { verdict: verdictOf(interval, target, rounds) } : {}),
  };
}

function inHundredths(value) {
  return Number(value.toFixed(2));
}

/** The text of a value with three digits, because no bench measures more. */
export function shown(value) {
  const size = Math.abs(value);
  return value.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0);
}

export function rounded(value) {
  return Number(shown(value));
}

/** The median of the samples, and its interval. */
export function summaryOf(values) {
  return { median: rounded(median(values)), interval: intervalOf(median, [values]).map(rounded) };
}

/** A series of a plot: the samples, with their median and 90th percentile. */
export function seriesOf({ label, tone }, values) {
  return {
    label,
    tone,
    median: rounded(median(values)),
    p90: rounded(quantile(values, 0.9)),
    values: values.map(rounded),
  };
}

/** How the verdict of a row is written. A row without a target has none. */
export const VERDICTS = { met: "yes", missed: "NO", not_decided: "not decided" };

export function targetOf({ atMost, atLeast }) {
  if (atMost !== undefined) return `≤ ${atMost}`;
  return atLeast === undefined ? "" : `≥ ${atLeast}`;
}

/** Prints the rows. Returns whether a target is missed. */
export function report(figures) {
  console.table(
    figures.map((row) => ({
      figure: row.figure,
      hawser: shown(row.hawser),
      other: row.against === undefined ? "" : `${row.against} ${shown(row.other)}`,
      ratio: row.ratio?.toFixed(2) ?? "",
      interval: row.interval.join(" to "),
      target: targetOf(row),
      met: VERDICTS[row.verdict] ?? "",
    })),
  );
  return figures.some(({ verdict }) => verdict === "missed");
}
