import { describe, TestRunner } from "vitest";
import { CLIS, EVERY_CLI } from "./cli.js";

/**
 * For our own code, which the version of the CLI makes no other: each test of the block runs on one of
 * the CLIs, in turn, so that both are at work in every block. With `HAWSER_BOTH=1`, each runs on both.
 * What depends on the version has `describe.each(CLIS)`.
 */
export function describeInTurn(
  title: string,
  tests: (cli: (typeof CLIS)[number]) => void,
  runs = true,
): void {
  describe.runIf(runs).each(CLIS)(title, (cli) => {
    tests(cli);
    if (EVERY_CLI) return;
    const { tasks } = TestRunner.getCurrentSuite();
    const own = tasks.filter((_, i) => CLIS[i % CLIS.length] === cli);
    // One that is left empty fails: a block of one test has no turn to take.
    tasks.splice(0, tasks.length, ...own);
  });
}
