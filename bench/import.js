// Measures the import of the package root in a fresh process, and that of the official SDK.
import { execFileSync } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { DIST } from "../tools/dist.js";
import { figureOf, median, runAlone } from "./figures.js";

const ROUNDS = 15;
const TARGET = 0.25;

export function run() {
  const packages = {
    hawser: pathToFileURL(`${DIST}/index.js`).href,
    official: import.meta.resolve("@anthropic-ai/claude-agent-sdk"),
  };
  const times = { hawser: [], official: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, url] of Object.entries(packages)) times[name].push(importMs(url));
  }
  const hawser = median(times.hawser);
  const official = median(times.official);
  const of = { id: "import", figure: "import of the root, ms", against: "official SDK" };
  return [figureOf({ ...of, hawser, other: official, atMost: TARGET })];
}

function importMs(url) {
  const program = `const t = performance.now(); await import(${JSON.stringify(url)}); console.log(performance.now() - t)`;
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", program]));
}

runAlone(fileURLToPath(import.meta.url), run);
