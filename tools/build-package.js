// Builds the dist of a package with the TypeScript compiler: one file for each source file, with source maps and
// declarations. The types of `hawser` come from its own dist, so `hawser` is built first. It runs in the folder of
// the package; its argument is the guide in docs/ that becomes the README of the package.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "./compiler.js";
import { baseOf, linksInPackage } from "./page-links.js";

const root = process.cwd();
const docs = fileURLToPath(new URL("../docs", import.meta.url));
const [guide] = process.argv.slice(2);

rmSync(join(root, "dist"), { recursive: true, force: true });
copyGuide();
compile("-p", join(root, "tsconfig.build.json"));

function copyGuide() {
  const { name, version } = manifestIn(root);
  const base = baseOf(manifestIn(join(docs, "..")).repository, version);
  const text = readFileSync(join(docs, guide), "utf8");
  const place = { page: `docs/${guide}`, packageName: name, base };
  writeFileSync(join(root, "README.md"), linksInPackage(text, place));
}

function manifestIn(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
