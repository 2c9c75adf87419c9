import { mergeConfig } from "vitest/config";
import common, { LONG, testsIn } from "./vitest.common.js";

/** The tests of these folders leave nothing that another file could see, so that one worker runs many of them. */
const TOGETHER = [
  ...folders("hawser", "answer,architecture,bench,control,council,fuzz,mcp,options"),
  ...folders("hawser", "providers,schema,types,wire"),
  ...folders("gateway", "fleet,tenants"),
  ...folders("ai-sdk", "errors,prompt"),
];

// packages/fleet needs Node 22: see vitest.fleet.config.ts.
export default mergeConfig(common, {
  test: {
    globalSetup: LONG ? ["./packages/hawser/test/support/install-clis.ts"] : [],
    projects: [
      {
        extends: true,
        test: { name: "alone", ...testsIn(["*/test"], ["fleet", ...TOGETHER]) },
      },
      {
        extends: true,
        // Long trials do start processes.
        test: { name: "together", isolate: LONG, ...testsIn(TOGETHER) },
      },
    ],
  },
});

function folders(name: string, list: string): string[] {
  return list.split(",").map((folder) => `${name}/test/${folder}`);
}
