import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst } from "./packages/hawser/test/support/longest-first.js";
import { PLAIN, plainSources } from "./tools/plain-sources.js";

/** All files, on all pinned CLIs: `npm run test:full`. */
const FULL = process.env["HAWSER_FULL"] === "1";
/** Only the files that `npm test` leaves out: `npm run test:rest`. */
const REST = process.env["HAWSER_REST"] === "1";

/** Whether long trials run too. Only they need the earlier versions of the CLI. */
export const LONG: boolean = FULL || REST;

/** Then Vite loads the sources, because it must see what changes. */
const isWatching = !process.argv.includes("run");

interface Files {
  readonly include: string[];
  readonly exclude: string[];
}

/** The test files in these folders of `packages`. */
export function testsIn(folders: readonly string[], without: readonly string[] = []): Files {
  const name = REST ? "*.full.test.ts" : "*.test.ts";
  return {
    include: folders.map((folder) => `packages/${folder}/**/${name}`),
    exclude: [
      ...configDefaults.exclude,
      ...without.map((folder) => `packages/${folder}/**`),
      // Files that take more than a few seconds of processor time, mostly because they start the CLI many times.
      ...(LONG ? [] : ["**/*.full.test.ts"]),
    ],
  };
}

/** What the runs of all packages have in common. */
export default defineConfig({
  plugins: isWatching ? [] : [plainSources()],
  test: {
    server: { deps: { external: [PLAIN] } },
    // Many tests wait for a process most of the time, so that one worker a core would leave cores idle.
    // Long trials load the machine by themselves.
    maxWorkers: LONG ? availableParallelism() + 1 : availableParallelism() * 2,
    sequence: { sequencer: LongestFirst },
    // A run of an hour must not be lost for one slow moment of the machine. It lists each test that needed two tries.
    retry: LONG || process.env["CI"] === "true" ? 1 : 0,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One second, the default, is too little on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    setupFiles: ["./packages/hawser/test/support/no-group-kill.ts"],
    reporters: ["default", "./packages/hawser/test/support/summary-reporter.ts"],
  },
});
