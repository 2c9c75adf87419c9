// Builds the page into dist/page: one script and one style sheet with hashed names, so that browsers can keep them for
// ever, and the index.html that names them. They are minified, because they are assets of a page, not code to read.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

/** All assets together, compressed. */
const MOST_BYTES = 100 * 1024;

const page = fileURLToPath(new URL("../page", import.meta.url));
const out = fileURLToPath(new URL("../dist/page", import.meta.url));

const files = new Map();
const script = hashed("main", "js", await bundledScript());
const style = hashed("style", "css", styleSheet());
const html = readFileSync(join(page, "index.html"), "utf8");
files.set("index.html", html.replace("{script}", script).replace("{style}", style));

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "assets"), { recursive: true });
for (const [name, text] of files) writeFileSync(join(out, name), text);

let sum = 0;
for (const [name, text] of files) {
  const size = gzipSync(text, { level: 9 }).length;
  sum += size;
  console.log(`${name}: ${size} bytes, compressed`);
}
console.log(`All assets: ${sum} bytes, compressed; at most ${MOST_BYTES}`);
if (sum > MOST_BYTES) {
  console.error("The assets of the page are too large.");
  process.exitCode = 1;
}

async function bundledScript() {
  const bundle = await rolldown({
    input: join(page, "main.tsx"),
    platform: "browser",
    tsconfig: join(page, "tsconfig.json"),
    resolve: { extensionAlias: { ".js": [".ts", ".tsx", ".js"] } },
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
  await bundle.close();
  return output[0].code;
}

/** The style sheets in the order of their names, which begin with a number. */
function styleSheet() {
  const folder = join(page, "style");
  const names = readdirSync(folder).sort();
  const text = names.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\s*\n\s*/g, "\n");
}

/** Keeps an asset, and returns its name. */
function hashed(name, extension, text) {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 10);
  const file = `${name}-${hash}.${extension}`;
  files.set(`assets/${file}`, text);
  return file;
}
