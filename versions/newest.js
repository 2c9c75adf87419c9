// What changed since the pinned CLI: for the maintainer who moves the pin.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { installOnce } from "../tools/install-once.js";
import { CHECKS } from "./checks.js";
import { cacheFolder, installCli, installPackages, newestVersion } from "./install.js";
import { writePage } from "./page.js";
import { writeResults } from "./results.js";
import { runChecks } from "./run-checks.js";
import { runParity } from "./run-parity.js";
import { changes, surfaceOf } from "./surface.js";
import { PINNED, VERSIONS } from "./versions.js";

const CLI = "@anthropic-ai/claude-code";
const SDK = "@anthropic-ai/claude-agent-sdk";

/** @typedef {{ cli: string, sdk: string }} Pair */

/**
 * Runs everything on the newest published CLI and SDK, and prints what differs from the pinned ones. Returns
 * the exit code: 1 if something that held does not hold any more.
 * @param {{ jobs: number }} options
 */
export async function runCanary({ jobs }) {
  const pinned = { cli: PINNED, sdk: pinnedSdk() };
  const newest = { cli: await newestVersion(CLI), sdk: await newestVersion(SDK) };
  console.log(`pinned: CLI ${pinned.cli}, SDK ${pinned.sdk}`);
  console.log(`newest: CLI ${newest.cli}, SDK ${newest.sdk}`);
  if (newest.cli === pinned.cli && newest.sdk === pinned.sdk) {
    console.log("The pin is the newest there is.");
    return 0;
  }
  const before = await examine(pinned, jobs);
  const after = await examine(newest, jobs);
  console.log(`\nparity with SDK ${newest.sdk} on CLI ${newest.cli}`);
  const parity = await runParity(after.modules, console.log);
  const worse = report(before, after);
  const different = parity.filter(({ code }) => code !== 0);
  for (const { program, output } of different) {
    console.log(`\n## parity/${program} found differences\n\n${lastLines(output)}`);
  }
  console.log(steps(pinned, newest, worse + different.length));
  return worse + different.length > 0 ? 1 : 0;
}

function pinnedSdk() {
  const manifest = readFileSync(new URL("../parity/package.json", import.meta.url), "utf8");
  return String(JSON.parse(manifest).dependencies[SDK]);
}

/**
 * @param {Pair} pair
 * @param {number} jobs
 */
async function examine(pair, jobs) {
  const place = await installOnce(
    join(cacheFolder(), "..", "pairs", `${pair.cli}-${pair.sdk}`),
    (folder) => installPackages(folder, { [CLI]: pair.cli, [SDK]: pair.sdk }),
  );
  const modules = join(place, "node_modules");
  const cli = { version: pair.cli, path: await installCli(pair.cli) };
  console.log(`\nthe checks on CLI ${pair.cli}`);
  const cells = await runChecks(cli, CHECKS, {
    jobs,
    tell: ({ id }, { outcome, how = "" }) => {
      if (outcome !== "holds") console.log(`${outcome.padEnd(8)} ${id}: ${how}`);
    },
  });
  const held = Object.values(cells).filter(({ outcome }) => outcome === "holds").length;
  console.log(`${held} of ${CHECKS.length} checks hold`);
  if (VERSIONS.includes(pair.cli)) {
    writeResults(pair.cli, cells, CHECKS);
    writePage();
  }
  return { pair, modules, cells, surface: await surfaceOf(cli, join(modules, SDK)) };
}

/** @typedef {Awaited<ReturnType<typeof examine>>} Examined */

/**
 * Prints what differs, and returns how many checks are worse.
 * @param {Examined} before
 * @param {Examined} after
 */
function report(before, after) {
  console.log(`\n# What changed from ${before.pair.cli} to ${after.pair.cli}\n`);
  const changed = CHECKS.filter(
    ({ id }) => JSON.stringify(before.cells[id]) !== JSON.stringify(after.cells[id]),
  );
  console.log("## Checks\n");
  for (const { id, title, isGuard } of changed) {
    const [was, is] = [before.cells[id], after.cells[id]].map(({ outcome, how = "" }) =>
      how === "" ? outcome : `${outcome} (${how})`,
    );
    console.log(`- ${id}${isGuard ? " (a guard)" : ""}: ${title}. Was: ${was}. Is: ${is}.`);
  }
  if (changed.length === 0) console.log("The same outcome for every check.");
  for (const [name, heading] of Object.entries(HEADINGS)) {
    const { added, removed } = changes(before.surface[name], after.surface[name]);
    console.log(`\n## ${heading}\n`);
    console.log(`new: ${added.join(", ") || "none"}`);
    console.log(`gone: ${removed.join(", ") || "none"}`);
  }
  return changed.filter(({ id }) => after.cells[id].outcome === "fails").length;
}

const HEADINGS = {
  flags: "Flags of `claude --help`",
  capabilities: "Capabilities that the CLI names at its start",
  words: "Types and subtypes of messages, control requests and hooks that the SDK declares",
  exports: "Names that the SDK declares",
};

/**
 * The last lines of a program of parity, without the scenarios that are the same or differ as wanted.
 * @param {string} output
 */
function lastLines(output) {
  const lines = output.trimEnd().split("\n");
  return lines
    .filter((line) => !/^(?:ok|wanted) /.test(line))
    .slice(-MOST_LINES)
    .join("\n");
}

const MOST_LINES = 400;

/**
 * @param {Pair} from
 * @param {Pair} to
 * @param {number} problems
 */
function steps(from, to, problems) {
  const first =
    problems === 0
      ? "Nothing above stands in the way of the new pin."
      : `First deal with the ${problems} ${problems === 1 ? "problem" : "problems"} above: change Hawser, or refuse on the new version, or write a wanted difference into parity/wanted.js with its reason.`;
  return `
# Steps that move the pin

${first}

1. Set the version of ${CLI} to ${to.cli} in packages/hawser/package.json, and that of
   ${SDK} to ${to.sdk} in parity/package.json and bench/package.json:

   sed -i 's/${escaped(from.cli)}/${to.cli}/' packages/hawser/package.json
   sed -i 's/${escaped(from.sdk)}/${to.sdk}/' parity/package.json bench/package.json

2. Write the lock files:

   npm install --ignore-scripts && node tools/complete-lock.js
   npm --prefix parity install --ignore-scripts
   npm --prefix bench install --ignore-scripts

3. Change the name of the newest CLI in packages/hawser/test/support/cli.ts and parity/transcripts/run.js, and
   add ${to.cli} to versions/versions.js. These tests compare with the version by name:

   grep -rln '${escaped(from.cli)}' packages/*/test parity

   Comments and pages that say what was observed on ${from.cli} stay as they are.

4. npm run versions     the table in docs/versions.md
   npm run test:full    every test on all pinned CLIs
   npm run parity       the official SDK ${to.sdk}
   npm run figures      the pages that quote figures

5. Write into CHANGELOG.md what changed for users.`;
}

/** @param {string} version */
function escaped(version) {
  return version.replaceAll(".", "\\.");
}
