export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
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
