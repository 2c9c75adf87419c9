// Measures the import of the package root in a fresh process, and that of the official SDK.
import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { DIST } from "../tools/dist.js";
import { ratioFigure } from "./figures.js";
import { interleaved } from "./rounds.js";

const ROUNDS = 25;

export async function run(rounds = ROUNDS) {
  const packages = {
    hawser: pathToFileURL(`${DIST}/index.js`).href,
    official: import.meta.resolve("@anthropic-ai/claude-agent-sdk"),
  };
  const { hawser, official } = await interleaved(Object.keys(packages), { rounds }, (name) =>
    importMs(packages[name]),
  );
  return {
    figures: [
      ratioFigure({
        id: "import",
        figure: "import of the root, ms",
        against: "official SDK",
        hawser,
        other: official,
        atMost: 0.25,
      }),
    ],
  };
}

function importMs(url) {
  const program = `const t = performance.now(); await import(${JSON.stringify(url)}); console.log(performance.now() - t)`;
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", program]));
}
