import type { Reporter, TestModule } from "vitest/node";

/** Ends a run with one plain line that any CI can read. */
// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export.
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      let tests = 0;
      for (const test of module.children.allTests()) {
        tests += 1;
        const { state } = test.result();
        if (state !== "pending") count[state] += 1;
      }
      // A file that could not be loaded holds no tests, yet it is no success.
      if (tests === 0 && module.state() === "failed") count.failed += 1;
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
    process.on("exit", () => {
      process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped}\n`);
    });
  }
}
