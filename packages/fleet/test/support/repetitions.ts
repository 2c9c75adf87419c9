/** The repetitions of a random test: all in a full run and in `npm run fuzz`, and a fifth in `npm test`. */
export function repetitions(all: number): number {
  const isLong = process.env["HAWSER_FULL"] === "1" || process.env["HAWSER_RUNS"] !== undefined;
  return isLong ? all : Math.ceil(all / 5);
}
