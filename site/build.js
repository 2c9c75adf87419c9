// Builds the documentation as a web site in site/dist: the guides, the examples and the API reference,
// as static HTML with search. `npm run docs` at the root installs what this needs and runs it.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, extname, join, posix } from "node:path";
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
  for (const name of readdirSync(join(repository, "docs"))) {
    const page = `docs/${name}`;
    if (name.endsWith(".md")) copyPage(page, page);
    if (name.endsWith(".svg")) cpSync(join(repository, page), join(pages, page));
    if (name === "images") cpSync(join(repository, page), join(pages, page), { recursive: true });
  }
}

function copyPage(from, to) {
  const text = readFileSync(join(repository, from), "utf8");
  write(
    to,
    text.replace(/\]\(([^)\s:#]+)(#[^)\s]*)?\)/g, (_, target, anchor = "") => {
      const named = posix.normalize(posix.join(posix.dirname(from), target)).replace(/\/$/, "");
      const page = pageOf(named);
      return `](${page === named ? target : posix.relative(posix.dirname(to), page)}${anchor})`;
    }),
  );
}

/** The page of the site for a file or a folder of the repository. */
function pageOf(path) {
  if (path.startsWith("examples/") && isFolder(path)) {
    const names = readdirSync(join(repository, path));
    return pageOf(`${path}/${names.includes("README.md") ? "README.md" : names[0]}`);
  }
  if (path === "README.md" || path.endsWith("/README.md")) {
    return path.replace(/README\.md$/, "index.md");
  }
  const isProgram = path.startsWith("examples/") && !path.endsWith(".md");
  return isProgram ? `${path.replace(/\.[jt]s$/, "")}.md` : path;
}

function isFolder(path) {
  return statSync(join(repository, path), { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A page for each file of an example, because a browser would download the file itself. */
function writeExamples() {
  const folder = join(repository, "examples");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = `examples/${name.replaceAll("\\", "/")}`;
    if (name.includes("node_modules") || isFolder(path)) continue;
    if (name.endsWith(".md")) copyPage(path, pageOf(path));
    else {
      const code = readFileSync(join(folder, name), "utf8");
      const title = `# ${basename(name)}\n\n\`${path}\``;
      write(pageOf(path), `${title}\n\n\`\`\`\`${languageOf(name)}\n${code}\`\`\`\`\n`);
    }
  }
}

function languageOf(name) {
  return name === "Dockerfile" ? "docker" : extname(name).slice(1);
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
