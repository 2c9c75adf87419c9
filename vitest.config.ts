import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst } from "./packages/hawser/test/support/longest-first.js";

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    // `npm run test:full` runs these as well: long trials, and tests of what hardly ever changes.
    exclude: [
      ...configDefaults.exclude,
      ...(process.env["HAWSER_FULL"] === "1" ? [] : ["**/*.full.test.ts"]),
    ],
    globalSetup: "./packages/hawser/test/support/install-clis.ts",
    // A part of the time goes by in waiting, so that one for each core would leave some of them idle.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ["default", "./packages/hawser/test/support/summary-reporter.ts"],
  },
});
