// Puts the pages of the repository into the package, because npm packs only files inside its folder, and
// fills in the public address of the repository. The address is `repository` in the package.json of the
// repository's root. Without an address, the package has no repository, homepage or bugs, and its links
// are relative, which works in node_modules. With one, links are absolute, which works on any page.
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, posix } from "node:path";
import { baseOf, linksInPackage, ONLY_IN_REPOSITORY, PAGES } from "../../../tools/page-links.js";

/** `address` is for example "https://example.org/hawser". */
export function copyPages(repository, folder, { address, version }) {
  for (const page of PAGES) {
    rmSync(join(folder, page), { recursive: true, force: true });
    if (!existsSync(join(repository, page))) continue;
    cpSync(join(repository, page), join(folder, page), { recursive: true, filter: isPage });
  }
  for (const page of ONLY_IN_REPOSITORY) {
    rmSync(join(folder, page), { recursive: true, force: true });
  }
  const base = baseOf(address, version);
  for (const page of PAGES) rewriteLinks(folder, page, base);
}

/**
 * The manifest of the package with the fields that follow from the address, or without them.
 * @param {Record<string, any>} manifest
 * @param {string | undefined} address
 */
export function withAddress(manifest, address) {
  const { repository: _, homepage: __, bugs: ___, ...own } = manifest;
  if (address === undefined) return own;
  const { name, version, description, keywords, ...rest } = own;
  return {
    ...{ name, version, description, keywords },
    homepage: `${address}#readme`,
    bugs: `${address}/issues`,
    repository: { type: "git", url: `git+${address}.git`, directory: "packages/hawser" },
    ...rest,
  };
}

/** Not what an example has installed, and no hidden file. */
function isPage(path) {
  return !/[\\/](node_modules|\.[^\\/.][^\\/]*)$/.test(path);
}

function rewriteLinks(folder, page, base) {
  const path = join(folder, page);
  if (!existsSync(path)) return;
  if (statSync(path).isDirectory()) {
    for (const name of readdirSync(path)) rewriteLinks(folder, posix.join(page, name), base);
  } else if (page.endsWith(".md")) {
    const text = readFileSync(path, "utf8");
    writeFileSync(path, linksInPackage(text, { page, packageName: "hawser", base }));
  }
}
