// Writes the figures of bench/results.json into the pages: docs/benchmarks.md and its plots as a whole,
// and in all other pages the text inside a mark:
//
//   A call takes <!-- bench: call.recycled -->40<!-- /bench --> ms.
//
// `npm run figures` does this without measuring anything. With `--check` it only lists the pages that
// would change, and fails if there are any. quotes.js lists the names.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { pageOf } from "./page.js";
import { PLOTS } from "./plots.js";
import { quote } from "./quotes.js";
import { readResults } from "./results.js";

const ROOT = new URL("../", import.meta.url);
const WHOLE = { "docs/benchmarks.md": pageOf, ...PLOTS };

/** Returns the pages that were changed, or would be changed. */
export async function writePages(results, { root = ROOT, onlyCheck = false } = {}) {
  const changed = [];
  for (const page of await pagesIn(root)) {
    const file = new URL(page, root);
    const before = await textOf(file);
    const after = WHOLE[page]?.(results) ?? filled(before, results);
    if (after === before) continue;
    changed.push(page);
    if (!onlyCheck) await writeFile(file, after);
  }
  return changed;
}

/** A plot may be new. */
async function textOf(file) {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return "";
    throw error;
  }
}

async function pagesIn(root) {
  const guides = (await readdir(new URL("docs/", root))).filter((name) => name.endsWith(".md"));
  return [
    ...new Set(["README.md", ...Object.keys(WHOLE), ...guides.map((name) => `docs/${name}`)]),
  ];
}

function filled(text, results) {
  return text.replace(MARK, (_, open, name, close) => open + quote(name, results) + close);
}

const MARK = /(<!-- bench: (\S+) -->)[^<]*(<!-- \/bench -->)/g;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const onlyCheck = process.argv.includes("--check");
  const changed = await writePages(await readResults(), { onlyCheck });
  for (const page of changed) console.log(page);
  if (onlyCheck && changed.length > 0) process.exitCode = 1;
}
