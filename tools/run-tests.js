// Runs the tests of all packages with vitest, and ends with what failed and one line of counts. Most packages are tested
// on the Node that runs this program. Packages that need Node 22 are tested on that Node or, where it is older, on the
// executable of tools/node-22. The arguments go to vitest: `node tools/run-tests.js packages/fleet`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installNode22, node22 } from "./node-22.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "hawser-counts-"));
const total = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
const flaky = [];
const vitest = join(
  dirname(createRequire(import.meta.url).resolve("vitest/package.json")),
  "vitest.mjs",
);

try {
  installNode22(); // Also tests of the other packages run programs on it.
  const statuses = [
    run("vitest.config.ts", process.execPath),
    run("vitest.fleet.config.ts", node22()),
  ];
  for (const name of flaky) process.stdout.write(`\nNEEDED A SECOND TRY ${name}\n`);
  for (const failure of failures) process.stdout.write(`\nFAILED ${failure}\n`);
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
  process.stdout.write(`${total.passed} passed, ${total.failed} failed${skipped}\n`);
  process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs vitest with a configuration. Returns its exit status. */
function run(config, node) {
  const summary = join(folder, `${config}.json`);
  const args = [vitest, "run", "--config", config, "--passWithNoTests", ...process.argv.slice(2)];
  const env = { ...process.env, HAWSER_TEST_SUMMARY: summary };
  const { status, signal, error } = spawnSync(node, args, { cwd: root, stdio: "inherit", env });
  if (error !== undefined) throw error;
  if (existsSync(summary)) {
    const result = JSON.parse(readFileSync(summary, "utf8"));
    for (const [kind, count] of Object.entries(result.count)) total[kind] += count;
    failures.push(...result.failures);
    flaky.push(...result.flaky);
  } else if (status !== 0) total.failed += 1;
  if (signal !== null) process.stderr.write(`vitest was ended by ${signal}.\n`);
  return status;
}
