import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/** What tools/run-tests.js adds up over several runs. */
interface Summary {
  readonly count: { passed: number; failed: number; skipped: number };
  /** A failed test each: its file, its name, and what went wrong. */
  readonly failures: string[];
  /** The tests that passed only when they were tried again, and why. Each is a defect of the test, or worse. */
  readonly flaky: string[];
}

/** Ends a run with one plain line that any CI can read. */
// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export.
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly { message: string }[]): void {
    const summary = summarize(modules, errors);
    const file = process.env["HAWSER_TEST_SUMMARY"];
    if (file !== undefined) {
      writeFileSync(file, JSON.stringify(summary));
      return;
    }
    const { count } = summary;
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
    process.on("exit", () => {
      process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped}\n`);
    });
  }
}

function summarize(
  modules: readonly TestModule[],
  errors: readonly { message: string }[],
): Summary {
  const count = { passed: 0, failed: 0, skipped: 0 };
  const failures: string[] = [];
  const flaky: string[] = [];
  const fail = (where: string, reasons: readonly { message: string }[] = []) => {
    count.failed += 1;
    failures.push(described(where, reasons));
  };
  for (const { message } of errors) fail("outside of a test", [{ message }]);
  for (const module of modules) {
    let tests = 0;
    for (const test of module.children.allTests()) {
      tests += 1;
      const { state, errors: reasons } = test.result();
      if (state === "failed") fail(`${module.relativeModuleId} > ${test.fullName}`, reasons);
      else if (state !== "pending") count[state] += 1;
      if (test.diagnostic()?.flaky)
        flaky.push(described(`${module.relativeModuleId} > ${test.fullName}`, reasons));
    }
    // A file that could not be loaded holds no tests, yet it is no success.
    if (tests === 0 && module.state() === "failed") fail(module.relativeModuleId, module.errors());
  }
  return { count, failures, flaky };
}

function described(where: string, reasons: readonly { message: string }[] = []): string {
  return [where, ...reasons.map(({ message }) => message)].join("\n");
}
