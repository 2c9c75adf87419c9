import { FULL } from "./cli.js";

/** The runs of a random test: all in a full run and in `npm run fuzz`, and a fifth in `npm test`. */
export function runs(all: number): number {
  return FULL || process.env["HAWSER_RUNS"] !== undefined ? all : Math.ceil(all / 5);
}
