// Builds dist. The code is bundled into few files, because importing a hundred files takes three times
// as long. Code that several entries use is in dist/shared, so that a class of the root and the same
// class of a subpath are one object. The declarations are joined in the same way.
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
/** Stacks and inspect() show the name of a class, but hardly ever the name of a function. */
const keepNames = { class: true, function: false };

rmSync(dist, { recursive: true, force: true });
// npm packs only files inside the folder of the package.
for (const page of ["README.md", "LICENSE"])
  copyFileSync(join(root, "../..", page), join(root, page));
declare();
const exported = await bundle("js", {
  index: "index.ts",
  "providers/index": "providers/index.ts",
  "testing/index": "testing/index.ts",
  "bin/main": "bin/main.ts",
  // An entry, not a part of a shared file, because it finds hawser/testing relative to its own path.
  "bin/offline/world": "bin/offline/world.ts",
});
// hawser/testing copies these programs, together with the files beside them, to another folder and
// runs them there.
await bundle("mjs", { "testing/fake-cli/main": "testing/fake-cli/main.mjs" });
await bundle("mjs", {
  "testing/cassette/program/player": "testing/cassette/program/player.mjs",
  "testing/cassette/program/recorder": "testing/cassette/program/recorder.mjs",
});
// Not in the package. The benchmarks measure this layer alone.
await bundle("js", { "wire/index": "wire/index.ts" });
const declared = ["index", "providers/index", "testing/index"];
joinDeclarations(dist, Object.fromEntries(declared.map((entry) => [entry, exported.get(entry)])));

function declare() {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json")], {
      stdio: "inherit",
    });
  } catch (error) {
    // The compiler has already printed the errors.
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
    // The declarations keep the comments, because editors read them there.
    comments: false,
    minify: { compress: { keepNames }, mangle: { keepNames } },
  });
  const chunks = output.filter((each) => each.type === "chunk");
  return new Map(chunks.map(({ name, exports }) => [name, exports]));
}
