// Builds dist: the code in a few small files, since a hundred would triple the time of an import, and
// the declarations joined likewise.
import { execFileSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { joinDeclarations } from "./declarations.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const src = join(root, "src");
const dist = join(root, "dist");
/** The name of a class is seen in stacks and by inspect(); that of a function hardly ever. */
const keepNames = { class: true, function: false };

rmSync(dist, { recursive: true, force: true });
// npm packs only what lies in the folder of the package.
for (const page of ["README.md", "LICENSE"])
  copyFileSync(join(root, "../..", page), join(root, page));
declare();
const exported = await bundle("js", {
  index: "index.ts",
  "testing/index": "testing/index.ts",
  "bin/main": "bin/main.ts",
  // Found by its place: the world loads hawser/testing.
  "bin/offline/world": "bin/offline/world.ts",
});
// The programs that hawser/testing copies, with what lies beside them, to where they are to run.
await bundle("mjs", { "testing/fake-cli/main": "testing/fake-cli/main.mjs" });
await bundle("mjs", {
  "testing/cassette/program/player": "testing/cassette/program/player.mjs",
  "testing/cassette/program/recorder": "testing/cassette/program/recorder.mjs",
});
// Not in the package: bench/ measures it alone.
await bundle("js", { "wire/index": "wire/index.ts" });
joinDeclarations(dist, {
  index: exported.get("index"),
  "testing/index": exported.get("testing/index"),
});

function declare() {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json")], {
      stdio: "inherit",
    });
  } catch (error) {
    // The compiler has said what is wrong.
    process.exit(error.status ?? 1);
  }
}

/**
 * Returns the names that each entry exports.
 * @returns {Promise<{ get(entry: string): any }>}
 */
async function bundle(extension, entries) {
  const input = Object.entries(entries).map(([name, file]) => [name, join(src, file)]);
  const bundled = await rolldown({
    input: Object.fromEntries(input),
    platform: "node",
    external: /^node:/,
    resolve: { extensionAlias: { ".js": [".ts"] } },
  });
  const isProgram = extension === "mjs";
  const beside = isProgram ? Object.keys(entries)[0].replace(/[^/]*$/, "") : "shared/";
  const { output } = await bundled.write({
    dir: dist,
    format: "esm",
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `${beside}[name].${extension}`,
    // They are in the declarations, where they are read.
    comments: false,
    minify: { compress: { keepNames }, mangle: { keepNames } },
  });
  const chunks = output.filter((each) => each.type === "chunk");
  return new Map(chunks.map(({ name, exports }) => [name, exports]));
}
