// The results of one run of all groups, in bench/results.json. Every figure on every page comes from that
// file; see pages.js.
import { readFile, writeFile } from "node:fs/promises";

const FILE = new URL("./results.json", import.meta.url);

export async function readResults(file = FILE) {
  return JSON.parse(await readFile(file, "utf8"));
}

export async function writeResults(results, file = FILE) {
  await writeFile(file, `${JSON.stringify(results, undefined, 2).replace(LIST, inOneLine)}\n`);
}

/** Lists of numbers or strings take one line each, so that the diff of a run is short. */
const LIST = /\[\n[^[\]{}]*\]/g;

function inOneLine(list) {
  const texts = JSON.parse(list).map((it) => JSON.stringify(it));
  return `[${texts.join(", ")}]`;
}
