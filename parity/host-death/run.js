// Counts the processes that a killed host leaves behind, with ours and with the official SDK, in the same
// harness and with the same CLI. docs/reliability.md has the table.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ENDINGS } from "../../packages/hawser/test/host-death/ending.js";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const manifest = createRequire(import.meta.url).resolve("@anthropic-ai/claude-code/package.json");
const platform = `@anthropic-ai/claude-code-${process.platform}-${process.arch}/package.json`;
const cli = join(dirname(createRequire(manifest).resolve(platform)), "claude");
const WAIT_MS = 3000;

const HOSTS = {
  "official SDK, `query()`": { host: here("./official.js") },
  "hawser, `openSession()`": { entry: "session" },
  "hawser, pool of 4": { entry: "pool", clis: 4 },
  "hawser, watchdog off": { entry: "session", watchdog: "off" },
};

const rows = [];
for (const ending of Object.keys(ENDINGS)) {
  const cells = Object.values(HOSTS).map((flags) => cellOf(die({ ending, ...flags })));
  rows.push(`| ${ending} | ${cells.join(" | ")} |`);
  console.log(rows.at(-1));
}
write(
  [
    `| how the program ends | ${Object.keys(HOSTS).join(" | ")} |`,
    `|---|${"---|".repeat(Object.keys(HOSTS).length)}`,
    ...rows,
  ].join("\n"),
);

function die(flags) {
  const program = here("../../packages/hawser/test/host-death/run.js");
  const args = Object.entries({ cli, waitMs: WAIT_MS, ...flags }).map(([k, v]) => `--${k}=${v}`);
  return JSON.parse(execFileSync(process.execPath, [program, ...args], { encoding: "utf8" }));
}

function cellOf({ before, left, goneMs }) {
  if (left.length > 0) return `**${left.length} of ${before.length} left**`;
  return `none of ${before.length}, ${(goneMs / 1000).toFixed(1)} s`;
}

function write(table) {
  const page = here("../../docs/reliability.md");
  const text = readFileSync(page, "utf8");
  const [begin, end] = ["<!-- host-death:begin -->", "<!-- host-death:end -->"];
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${page} has no place for the table`);
  writeFileSync(page, `${before}${begin}\n${table}\n${end}${after}`);
}
