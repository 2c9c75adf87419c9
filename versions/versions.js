import { readFileSync } from "node:fs";

const manifest = new URL("../packages/hawser/package.json", import.meta.url);

/** The CLI that the repository is pinned to. Tests and benchmarks run on it. */
export const PINNED = String(
  JSON.parse(readFileSync(manifest, "utf8")).devDependencies["@anthropic-ai/claude-code"],
);

/** The versions of the matrix, from the oldest to the newest. */
export const VERSIONS = [
  "2.0.77",
  "2.1.50",
  "2.1.113",
  "2.1.197",
  "2.1.250",
  "2.1.290",
  "2.1.310",
  "2.1.325",
  "2.1.326",
];
