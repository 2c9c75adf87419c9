// Compiles src to dist and copies the programs that must stay plain JavaScript.
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");

rmSync(join(root, "dist"), { recursive: true, force: true });
try {
  execFileSync(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json")], {
    stdio: "inherit",
  });
} catch (error) {
  process.exit(error.status ?? 1);
}

for (const name of readdirSync(join(root, "src"), { recursive: true })) {
  if (name.endsWith(".mjs") || name.endsWith(".sh")) {
    cpSync(join(root, "src", name), join(root, "dist", name));
  }
}
