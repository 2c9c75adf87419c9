// Builds dist: declarations by the compiler, and the code bundled into a few files, since a hundred
// small ones would triple the time of an import. Programs that must stay by themselves are copied.
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const src = join(root, "src");
const dist = join(root, "dist");

rmSync(dist, { recursive: true, force: true });
declare();
await bundle();
copyPrograms();

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

async function bundle() {
  const bundled = await rolldown({
    input: {
      index: join(src, "index.ts"),
      "testing/index": join(src, "testing", "index.ts"),
      "bin/main": join(src, "bin", "main.ts"),
      // Found by their places: the world loads hawser/testing, and the fake CLI its scenario.
      "bin/offline/world": join(src, "bin", "offline", "world.ts"),
      "bin/offline/scenario": join(src, "bin", "offline", "scenario.ts"),
      // Not exported: bench/ measures it alone.
      "wire/index": join(src, "wire", "index.ts"),
    },
    platform: "node",
    external: /^node:/,
    resolve: { extensionAlias: { ".js": [".ts"] } },
  });
  await bundled.write({
    dir: dist,
    format: "esm",
    chunkFileNames: "shared/[name].js",
    // They are in the declarations, where they are read.
    comments: false,
  });
}

function copyPrograms() {
  for (const name of readdirSync(src, { recursive: true })) {
    if (name.endsWith(".mjs")) cpSync(join(src, name), join(dist, name));
  }
}
