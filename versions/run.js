// Runs the conformance list on several versions of the CLI, against the simulated model.
//
// Each version is written into versions/results.json and docs/versions.md when its run is over.
//
//   npm run versions                         all versions
//     -- --only 2.1.113                      only this version; may be repeated
//     -- --check reset                       only checks whose id contains it; may be repeated
//     -- --jobs 2                            how many checks at a time
//     -- --newest                            the newest published CLI and SDK against the pinned ones
//
// Exit code 1 if a check does not hold.
import { parseArgs } from "node:util";
import { CHECKS } from "./checks.js";
import { installCli } from "./install.js";
import { writePage } from "./page.js";
import { writeResults } from "./results.js";
import { runChecks } from "./run-checks.js";
import { VERSIONS } from "./versions.js";

const { values: flags } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    check: { type: "string", multiple: true, default: [] },
    jobs: { type: "string", default: "2" },
    newest: { type: "boolean", default: false },
  },
});
// Callbacks that throw, and options that hide each other, are part of the checks.
process.removeAllListeners("warning");

if (flags.newest) {
  const { runCanary } = await import("./newest.js");
  process.exit(await runCanary({ jobs: Number(flags.jobs) }));
}

const versions = flags.only.length === 0 ? VERSIONS : flags.only;
const checks = CHECKS.filter(
  ({ id }) => flags.check.length === 0 || flags.check.some((part) => id.includes(part)),
);
if (checks.length === 0) throw new Error(`No check's id contains ${flags.check.join(" or ")}.`);

const startedAt = Date.now();
/** @type {Record<string, import("./results.js").Cells>} */
const results = {};
for (const version of versions) {
  console.log(`\nClaude Code ${version}`);
  const path = await installCli(version);
  const cells = await runChecks({ version, path }, checks, {
    jobs: Number(flags.jobs),
    tell: ({ id }, { outcome, how = "" }, ms) =>
      console.log(`${outcome.padEnd(8)} ${id.padEnd(22)} ${String(ms).padStart(6)} ms  ${how}`),
  });
  results[version] = cells;
  if (!VERSIONS.includes(version)) continue;
  writeResults(version, cells, CHECKS);
  writePage();
}
const failed = Object.entries(results).flatMap(([version, cells]) =>
  Object.entries(cells)
    .filter(([, { outcome }]) => outcome === "fails")
    .map(([id, { how }]) => `${version} ${id}: ${how}`),
);
const seconds = Math.round((Date.now() - startedAt) / 1000);
console.log(`\n${versions.length} versions, ${checks.length} checks, ${seconds} s`);
for (const line of failed) console.log(`does not hold: ${line}`);
process.exit(failed.length > 0 ? 1 : 0);
