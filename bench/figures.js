export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Hawser against the official SDK: `measure(library)` for both in turns, each of them first in every
 * other round; the ratio of the medians must not exceed the target. One round warms the disk up.
 */
export async function pairs({ figure, rounds, target }, measure) {
  const values = { hawser: [], official: [] };
  for (let round = -1; round < rounds; round += 1) {
    const order = round % 2 === 0 ? ["hawser", "official"] : ["official", "hawser"];
    for (const library of order) {
      const value = await measure(library);
      if (round >= 0) values[library].push(value);
    }
  }
  const [hawser, official] = [median(values.hawser), median(values.official)];
  return {
    figure,
    hawser: hawser.toFixed(1),
    other: `official SDK ${official.toFixed(1)}`,
    ratio: hawser / official,
    target: `≤ ${target}`,
    met: hawser / official <= target,
  };
}

/** Prints the figures and leaves a bad exit code when a target is missed. */
export function report(figures) {
  console.table(
    figures.map(({ ratio, met, ...rest }) => ({
      ...rest,
      ratio: ratio.toFixed(2),
      met: met ? "yes" : "NO",
    })),
  );
  if (figures.some(({ met }) => !met)) process.exitCode = 1;
}

/** Runs a bench when its file is the program itself. */
export async function runAlone(file, run) {
  if (process.argv[1] === file) report(await run());
}
