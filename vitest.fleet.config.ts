import { mergeConfig } from "vitest/config";
import common, { testsIn } from "./vitest.common.js";

/** The tests of the packages that need Node 22. `tools/run-tests.js` runs them on the executable of tools/node-22. */
export default mergeConfig(common, {
  test: {
    // A private Postgres, and PGlite more so, starts slowly beside the other tests of a small machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    ...testsIn(["fleet/test"]),
    globalSetup: ["./packages/fleet/test/support/postgres-setup.ts"],
  },
});
