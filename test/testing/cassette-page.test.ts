import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { NEWEST_CLI } from "../support/cli.js";
import { world } from "../support/world.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

it("the example of docs/cassettes.md runs as it stands", async () => {
  const page = readFileSync(join(ROOT, "docs/cassettes.md"), "utf8");
  const source = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const { env, cwd } = await world(NEWEST_CLI, ["Good day."]);
  mkdirSync(join(cwd, "node_modules"));
  symlinkSync(ROOT, join(cwd, "node_modules", "hawser"));
  writeFileSync(join(cwd, "example.mjs"), source);
  const { stdout } = await promisify(execFile)(process.execPath, ["example.mjs"], {
    cwd,
    env: { ...env, HAWSER_CLI: NEWEST_CLI },
  });
  expect(stdout).toBe("Good day. []\n");
});
