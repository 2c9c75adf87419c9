import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { NEWEST_CLI } from "../support/cli.js";
import { world } from "../support/world.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** By a word that each of them has, and what they print; figures are not compared. */
const EXAMPLES = [
  ["README.md", "drain()", "A bowline. N ms\nA bowline. N ms\nA bowline. N ms\n"],
  ["docs/pool.md", "calls.by", /^(A bowline\. \(ready after N ms\)\n){3}\{ recycled: /],
  ["docs/pool.md", "ClaudeCliProvider", "A bowline. A bowline.\n"],
  ["docs/pool.md", "budget_refused", /^Tenant "alice" has spent \$N of its budget of \$N\.\n/],
  ["docs/pool.md", "diagnostics_channel", /^ok N N\nN .+ N\n/],
] as const;

describe("the examples of pools on the pages", () => {
  it.each(EXAMPLES)("run as they stand in %s: %s", async (page, word, printed) => {
    const blocks = readFileSync(join(ROOT, page), "utf8").matchAll(/```js\n([\s\S]*?)```/g);
    const sources = [...blocks].map(([, source = ""]) => source);
    const [source = ""] = sources.filter((each) => /createPool/.test(each) && each.includes(word));

    const { env, cwd } = await world(NEWEST_CLI, () => "A bowline.");
    mkdirSync(join(cwd, "node_modules"));
    symlinkSync(ROOT, join(cwd, "node_modules", "hawser"));
    writeFileSync(join(cwd, "example.mjs"), source);
    const { stdout } = await promisify(execFile)(process.execPath, ["example.mjs"], {
      cwd,
      env: { ...env, HAWSER_CLI: NEWEST_CLI },
    });
    const figures = stdout.replace(/\d+(\.\d+)?(e-\d+)?/g, "N");
    if (typeof printed === "string") expect(figures).toBe(printed);
    else expect(figures).toMatch(printed);
  });
});
