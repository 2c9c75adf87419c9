export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Compares Hawser with the official SDK: runs `measure(library)` for both in each round, and changes their
 * order from round to round. The ratio of the medians must not exceed the target. The first round only
 * warms up the disk.
 */
export async function pairs({ id, figure, rounds, target }, measure) {
  /** @type {Record<string, number[]>} */
  const values = { hawser: [], official: [] };
  for (let round = -1; round < rounds; round += 1) {
    const order = round % 2 === 0 ? ["hawser", "official"] : ["official", "hawser"];
    for (const library of order) {
      const value = await measure(library);
      if (round >= 0) values[library].push(value);
    }
  }
  const [hawser, official] = [median(values.hawser), median(values.official)];
  const against = "official SDK";
  return figureOf({ id, figure, against, hawser, other: official, atMost: target });
}

/**
 * One row of the results: hawser's value, the other value, and whether their ratio meets the target. Pages
 * quote the row by its `id`. Values are rounded as they are shown, so that every page shows the same.
 * @param {{ id: string, figure: string, against: string, hawser: number, other: number, ratio?: number,
 *   atMost?: number, atLeast?: number, digits?: number }} row Either `atMost` or `atLeast` is given.
 */
export function figureOf({
  id,
  figure,
  against,
  hawser,
  other,
  ratio,
  atMost,
  atLeast = 0,
  digits = 1,
}) {
  const exact = ratio ?? hawser / other;
  return {
    id,
    figure,
    hawser: rounded(hawser, digits),
    against,
    other: rounded(other, digits),
    ratio: rounded(exact, 2),
    ...(atMost === undefined ? { atLeast } : { atMost }),
    met: atMost === undefined ? exact >= atLeast : exact <= atMost,
  };
}

export function rounded(value, digits) {
  return Number(value.toFixed(digits));
}

/** Prints the figures, and sets exit code 1 if a target is missed. */
export function report(figures) {
  console.table(
    figures.map(({ figure, hawser, against, other, ratio, atMost, atLeast, met }) => ({
      figure,
      hawser,
      other: `${against} ${other}`,
      ratio: ratio.toFixed(2),
      target: atMost === undefined ? `≥ ${atLeast}` : `≤ ${atMost}`,
      met: met ? "yes" : "NO",
    })),
  );
  if (figures.some(({ met }) => !met)) process.exitCode = 1;
}

/** Runs a bench if its file is the main program. */
export async function runAlone(file, run) {
  if (process.argv[1] === file) report(await run());
}
