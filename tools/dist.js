import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("../packages/hawser", import.meta.url));

/** The built package, for benchmarks and for tests of what users install. Throws if it is out of date. */
export const DIST = process.env.HAWSER_DIST ?? checkedDist();

function checkedDist() {
  const problem = staleBuild(PACKAGE);
  if (problem !== undefined) throw new Error(problem);
  return join(PACKAGE, "dist");
}

/** What is wrong with the build of a package: it is missing, or older than a source file. */
export function staleBuild(folder) {
  // The build writes this file last.
  const built = join(folder, "dist/shared/types.d.ts");
  if (!existsSync(built)) return `There is no build in ${folder}/dist. Run \`npm run build\`.`;
  const { mtimeMs } = statSync(built);
  const src = join(folder, "src");
  const newer = readdirSync(src, { recursive: true, encoding: "utf8" })
    .map((name) => join(src, name))
    .find((file) => /\.m?ts$|\.mjs$/.test(file) && statSync(file).mtimeMs > mtimeMs);
  if (newer === undefined) return undefined;
  return `The build is older than ${newer}. Run \`npm run build\`.`;
}
