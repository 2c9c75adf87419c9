// Builds the documentation as a web site in site/dist: the guides, the examples and the API reference,
// as static HTML with search. `npm run docs` at the root installs what this needs and runs it.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vitepress";
import { deadLinks } from "./dead-links.js";

const site = fileURLToPath(new URL(".", import.meta.url));
const repository = dirname(site.replace(/[\\/]$/, ""));
/** The Markdown files that VitePress reads, made anew by each build. */
const pages = join(site, "pages");
const dist = join(site, "dist");

rmSync(pages, { recursive: true, force: true });
rmSync(dist, { recursive: true, force: true });
mkdirSync(pages);
copyGuides();
writeExamples();
writeReference();
await build(site);
const dead = deadLinks(dist);
if (dead.length > 0) {
  console.error(`Dead links:\n${dead.map(({ page, link }) => `  ${page}: ${link}`).join("\n")}`);
  process.exit(1);
}
console.log(`The site is in ${dist}; open index.html through any web server.`);

/** The pages keep their places in the repository, so that relative links stay right. */
function copyGuides() {
  for (const page of ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]) copyPage(page, page);
  copyPage("README.md", "index.md");
  copyPage("examples/README.md", "examples/index.md");
  for (const name of readdirSync(join(repository, "docs"))) {
    const page = `docs/${name}`;
    if (name.endsWith(".md")) copyPage(page, page);
    if (name.endsWith(".svg")) cpSync(join(repository, page), join(pages, page));
  }
}

function copyPage(from, to) {
  const text = readFileSync(join(repository, from), "utf8");
  const linked = text
    .replace(/\]\(((?:[^)\s:]*\/)?)README\.md/g, "]($1index.md")
    .replace(/\]\(([^)\s:]+)\.[jt]s\)/g, "]($1.md)")
    .replace(/\]\(guarded-agent\/?\)/g, "](guarded-agent/agent.md)");
  write(to, linked);
}

/** A page for each program, because a browser would download the program itself. */
function writeExamples() {
  const folder = join(repository, "examples");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (![".js", ".ts"].includes(extname(name)) || name.includes("node_modules")) continue;
    const code = readFileSync(join(folder, name), "utf8");
    const title = `# ${basename(name)}\n\n\`examples/${name}\``;
    const page = `examples/${name.replace(/\.[jt]s$/, "")}.md`;
    write(page, `${title}\n\n\`\`\`\`${extname(name).slice(1)}\n${code}\`\`\`\`\n`);
  }
}

function writeReference() {
  const typedoc = join(repository, "node_modules/typedoc/bin/typedoc");
  const plugins = ["typedoc-plugin-markdown", "./scripts/typedoc-categories.js"];
  const flags = ["--readme", "none", "--entryFileName", "index", "--useCodeBlocks"];
  execFileSync(
    process.execPath,
    [
      typedoc,
      ...plugins.flatMap((plugin) => ["--plugin", plugin]),
      ...flags,
      ...["--hidePageHeader", "--hideBreadcrumbs", "--logLevel", "Warn"],
      ...["--out", join(pages, "api")],
    ],
    { cwd: join(repository, "packages/hawser"), stdio: "inherit" },
  );
}

function write(page, text) {
  mkdirSync(dirname(join(pages, page)), { recursive: true });
  writeFileSync(join(pages, page), text);
}
