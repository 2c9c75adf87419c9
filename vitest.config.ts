import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst } from "./packages/hawser/test/support/longest-first.js";

const FULL = process.env["HAWSER_FULL"] === "1";

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    // `npm run test:full` runs these as well: long trials, and tests of what hardly ever changes.
    exclude: [...configDefaults.exclude, ...(FULL ? [] : ["**/*.full.test.ts"])],
    // Only full runs need the earlier versions of the CLI.
    globalSetup: FULL ? ["./packages/hawser/test/support/install-clis.ts"] : [],
    // Many tests wait for a process most of the time, so that one worker a core would leave cores idle.
    // A full run has trials that load the machine by themselves.
    maxWorkers: FULL ? availableParallelism() + 1 : availableParallelism() * 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ["default", "./packages/hawser/test/support/summary-reporter.ts"],
  },
});
