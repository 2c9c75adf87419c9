// Makes docs/versions.md of versions/results.json. `node versions/page.js` writes the page.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readResults } from "./results.js";

const PAGE = new URL("../docs/versions.md", import.meta.url);

export function writePage() {
  writeFileSync(PAGE, makePage(readResults()));
}

/**
 * The text of the page.
 * @param {import("./results.js").Results} results
 */
export function makePage(results) {
  const { versions, checks } = results;
  const runs = Object.values(versions);
  const dates = [...new Set(runs.map(({ date }) => date))].sort();
  const systems = [...new Set(runs.map(({ system }) => system))];
  const guards = checks.filter(({ isGuard }) => isGuard).length;
  return `# CLI versions

Claude Code is released several times a week, and many people run an older one. This page shows what Hawser keeps on which version. A program runs ${checks.length} checks on the real CLI of each version, with a simulated model, and writes this page. Last runs: ${dates.join(", ")}, on ${systems.join(" and ")}. The repository is pinned to ${results.pinned}: all other tests run on that version.

A check looks at effects: whether a file was written, what the model was sent, which processes are left. ${guards} of the checks are guards, marked with †: if one of them failed, something would run that must not run, or reach someone that must not see it.

**A guard that a version does not keep is refused.** Hawser then throws \`unsupported_by_cli\` before anything happens. The message says which version is installed and which one is needed. \`claude update\` or \`npm install -g @anthropic-ai/claude-code\` brings a newer CLI.

## The table

- **yes**: it holds, as on the newest version.
- **differs**: it holds in another way: [what differs](#what-differs).
- **refused**: Hawser refuses it on this version: [what is refused](#what-is-refused).
- **no**: it does not hold: [what does not hold](#what-does-not-hold).

${table(results)}

## What differs

${notes(results, "differs", "how it differs")}

## What is refused

Each of these is an error with the code \`unsupported_by_cli\`.

${notes(results, "refused", "the message")}

The option \`onOldCli\` can turn the refusal of a mere feature into a warning. It does not turn off the refusal of a guard.

## What does not hold

${notes(results, "fails", "what was seen")}

## Run it

| command, in the repository | what it does |
|---|---|
| \`npm run versions\` | runs all checks on all versions, and writes this page |
| \`npm run versions -- --only 2.1.113\` | runs all checks on one version, and writes its column |
| \`npm run versions -- --only 2.1.113 --check reset\` | runs only the checks whose id contains "reset", and writes their cells |
| \`npm run versions -- --newest\` | compares the newest published CLI with the pinned one |

Each CLI is installed once, with npm and without its install scripts, into \`~/.cache/hawser/clis\` (or \`$XDG_CACHE_HOME/hawser/clis\`). Nothing is added to a lock file. The exit code is 1 if a check does not hold. The checks need Linux, because they read \`/proc\`.

\`--newest\` is for maintainers. It asks the registry for the newest CLI and the newest official SDK, runs the checks on the newest and on the pinned CLI, and compares Hawser with the official SDK on them. It prints what changed since the pinned version, and the steps that move the pin.

The versions are in \`versions/versions.js\`, the checks in \`versions/checks\`. The results of the last whole run are in \`versions/results.json\`: ${Object.keys(versions).length} versions.
`;
}

/** @param {import("./results.js").Results} results */
function table({ versions, checks }) {
  const names = Object.keys(versions);
  const lines = [`| what | ${names.join(" | ")} |`, `|---|${names.map(() => "---|").join("")}`];
  let group = "";
  for (const check of checks) {
    if (check.group !== group) {
      group = check.group;
      lines.push(`| **${group}** |${names.map(() => " |").join("")}`);
    }
    const cells = names.map((name) => WORDS[versions[name].cells[check.id].outcome]);
    lines.push(`| ${check.title}${check.isGuard ? " †" : ""} | ${cells.join(" | ")} |`);
  }
  return lines.join("\n");
}

/** @type {Readonly<Record<import("./outcome.js").Cell["outcome"], string>>} */
const WORDS = { holds: "yes", differs: "differs", refused: "refused", fails: "**no**" };

/**
 * A table with one row for each check and each thing seen, with the versions on which it was seen.
 * @param {import("./results.js").Results} results
 * @param {import("./outcome.js").Cell["outcome"]} outcome
 * @param {string} heading
 */
function notes({ versions, checks }, outcome, heading) {
  const rows = checks.flatMap(({ id, title }) => {
    /** @type {Map<string, string[]>} */
    const seen = new Map();
    for (const [version, { cells }] of Object.entries(versions)) {
      const { outcome: found, how = "" } = cells[id];
      if (found !== outcome) continue;
      const text = how.replace(`; this one is ${version}.`, ".");
      seen.set(text, [...(seen.get(text) ?? []), version]);
    }
    return [...seen].map(([text, on]) => `| ${title} | ${on.join(", ")} | ${text} |`);
  });
  if (rows.length === 0) return "Nothing.";
  return [`| what | on | ${heading} |`, "|---|---|---|", ...rows].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writePage();
