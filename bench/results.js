// The results of one run of all groups, and of groups that were measured later, in bench/results.json. Every
// figure on every page comes from that file; see pages.js.
import { readFile, writeFile } from "node:fs/promises";

const FILE = new URL("./results.json", import.meta.url);

export async function readResults(file = FILE) {
  return JSON.parse(await readFile(file, "utf8"));
}

export async function writeResults(results, file = FILE) {
  await writeFile(file, `${JSON.stringify(results, undefined, 2).replace(LIST, inOneLine)}\n`);
}

/** The results with those of a later run of some groups in the place of their earlier ones. */
export function withLater({ facts, figures, ...before }, later, groups) {
  const { facts: machine, figures: rows, ...parts } = later;
  const { date, commit } = Object.fromEntries(machine);
  const isReplaced = new Set(rows.map(({ id }) => id));
  return {
    facts: [
      ...facts.filter(([name]) => name !== `measured later: ${groups}`),
      [`measured later: ${groups}`, `${date}, commit ${commit}`],
    ],
    ...before,
    ...parts,
    figures: [...figures.filter(({ id }) => !isReplaced.has(id)), ...rows],
  };
}

/** Lists of numbers or strings take one line each, so that the diff of a run is short. */
const LIST = /\[\n[^[\]{}]*\]/g;

function inOneLine(list) {
  const texts = JSON.parse(list).map((it) => JSON.stringify(it));
  return `[${texts.join(", ")}]`;
}
