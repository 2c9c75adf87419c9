// A plugin of Vite for the tests. Vitest loads each module of a test file by itself, one message to its server at a time,
// and a test of hawser imports hundreds: that took longer than most tests. This plugin removes the types from all
// sources once, when a run begins, and lets Node.js load the result. `packages/<name>/.plain` is beside `src`, so that
// paths relative to a module stay true. Only what has changed since the last run is written again.
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "rolldown/utils";

const packages = fileURLToPath(new URL("../packages", import.meta.url));
const SOURCE = /^(.*[\\/]packages[\\/][^\\/]+[\\/])src([\\/].*)$/;

/** Matches the files that Node.js loads: plain sources, and the built packages that these import by name. */
export const PLAIN = /[\\/]packages[\\/][^\\/]+[\\/](\.plain|dist)[\\/]/;

/** Loads the sources of all packages without Vite. */
export function plainSources() {
  for (const name of readdirSync(packages)) strip(join(packages, name, "src"));
  return {
    name: "hawser-plain-sources",
    enforce: "pre",
    /** @param {string} source @param {string | undefined} importer */
    resolveId(source, importer) {
      if (importer === undefined || !source.startsWith(".")) return undefined;
      const [, root, path] = SOURCE.exec(resolve(dirname(importer), source)) ?? [];
      return root === undefined || !path.endsWith(".js") ? undefined : `${root}.plain${path}`;
    },
  };
}

/** Writes the sources of a package without their types, and removes what has no source any more. */
function strip(folder) {
  const plain = join(dirname(folder), ".plain");
  const wanted = new Set();
  for (const file of filesIn(folder)) {
    const target = join(plain, relative(folder, file)).replace(/\.ts$/, ".js");
    wanted.add(target);
    const { mtime } = statSync(file);
    if (statSync(target, { throwIfNoEntry: false })?.mtimeMs === mtime.getTime()) continue;
    mkdirSync(dirname(target), { recursive: true });
    // Renamed when it is whole, because another run may begin at the same moment.
    const whole = `${target}.${process.pid}`;
    writeFileSync(whole, file.endsWith(".ts") ? withoutTypes(file) : readFileSync(file));
    utimesSync(whole, mtime, mtime);
    renameSync(whole, target);
  }
  for (const file of filesIn(plain)) if (!wanted.has(file)) rmSync(file, { force: true });
}

/** @param {string} folder */
function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

function withoutTypes(file) {
  const { code, map, errors } = transformSync(file, readFileSync(file, "utf8"), {
    target: "node20",
    sourcemap: true,
  });
  if (errors.length > 0) throw errors[0];
  const inline = Buffer.from(JSON.stringify(map)).toString("base64");
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}\n`;
}
