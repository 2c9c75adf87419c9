// The table of docs/ai-sdk.md, made of what the programs saw.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { nativeCli } from "../../../tools/native-cli.js";
import { SIDES } from "./sides.js";

const PAGE = new URL("../../../docs/ai-sdk.md", import.meta.url);
const RESULTS = new URL("../../../bench/results.json", import.meta.url);
const MARK = /(<!-- baseline -->\n)[\s\S]*(<!-- \/baseline -->)/;
const FIRST_TOKEN = "ai-sdk-first-token";

/** "works", "differs" if only another way leads to the goal, or "does not work". */
export function verdictOf({ first, second }) {
  if (first.passed) return "works";
  return second?.passed ? "differs" : "does not work";
}

/** What was observed, as one cell. */
export function cellOf({ first, second }) {
  const verdict = verdictOf({ first, second });
  if (first.passed) return first.note === undefined ? verdict : `${verdict} (${first.note})`;
  const more = second === undefined ? "" : `. With ${second.by}: ${noteOf(second, first)}`;
  return `${verdict}: ${first.note}${more}`.replaceAll("|", "\\|");
}

function noteOf({ note }, first) {
  return note === first.note ? "the same" : (note ?? "works");
}

/** Writes the table between its two marks. */
export async function writeTable(rows, node) {
  const names = Object.keys(SIDES);
  const lines = [
    versions(node),
    "",
    `| program | ${names.map((name) => `\`${SIDES[name].label}\``).join(" | ")} |`,
    `|---|${"---|".repeat(names.length)}`,
    ...rows.map(
      ({ title, cells }) => `| ${[title, ...names.map((name) => cells[name])].join(" | ")} |`,
    ),
    "",
    firstToken(),
  ];
  const before = readFileSync(PAGE, "utf8");
  if (!MARK.test(before)) throw new Error("docs/ai-sdk.md has no place for the table.");
  writeFileSync(
    PAGE,
    before.replace(MARK, (_, open, close) => `${open}${lines.join("\n")}\n${close}`),
  );
}

function versions(node) {
  const cli = execFileSync(nativeCli("@anthropic-ai/claude-code"), ["--version"], {
    encoding: "utf8",
  });
  const of = (name) => `\`${name}\` ${versionOf(name)}`;
  const [number] = /\d+\.\d+\.\d+/.exec(cli);
  const nodeVersion = execFileSync(node, ["--version"], { encoding: "utf8" }).trim().slice(1);
  return `Observed with ${of("@hawser/ai-sdk")}, ${of("ai-sdk-provider-claude-code")} (on ${of("@anthropic-ai/claude-agent-sdk")}), ${of("ai")}, the CLI ${number} and Node ${nodeVersion}.`;
}

function versionOf(name) {
  const require = createRequire(import.meta.url);
  const folders = require.resolve.paths(name) ?? [];
  for (const folder of folders) {
    try {
      return JSON.parse(readFileSync(`${folder}/${name}/package.json`, "utf8")).version;
    } catch {
      // Not in this folder; perhaps in the one above.
    }
  }
  throw new Error(`${name} is not installed.`);
}

/** The ratio of the bench, if it was measured. bench/pages.js then keeps it up to date. */
function firstToken() {
  const { figures } = JSON.parse(readFileSync(RESULTS, "utf8"));
  const figure = figures.find(({ id }) => id === FIRST_TOKEN);
  const page = "[benchmarks.md](benchmarks.md)";
  if (figure === undefined)
    return `The time to the first token is measured by the benchmarks: ${page}.`;
  const mark = `<!-- bench: ${FIRST_TOKEN}.ratio -->${figure.ratio.toFixed(2)}<!-- /bench -->`;
  return `The time to the first token of \`streamText()\`, as a ratio to that of ai-sdk-provider-claude-code, is ${mark} (${page}).`;
}
