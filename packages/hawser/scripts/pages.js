// Puts the pages of the repository into the package, because npm packs only files inside its folder, and
// fills in the public address of the repository. The address is `repository` in the package.json of the
// repository's root. Without an address, the package has no repository, homepage or bugs, and its links
// are relative, which works in node_modules. With one, links are absolute, which works on any page.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";

/** What the package holds beside its code. */
export const PAGES = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "LICENSE",
  "SECURITY.md",
  "docs",
  "examples",
];

/** `address` is for example "https://example.org/hawser". */
export function copyPages(repository, folder, { address, version }) {
  for (const page of PAGES) {
    rmSync(join(folder, page), { recursive: true, force: true });
    if (!existsSync(join(repository, page))) continue;
    cpSync(join(repository, page), join(folder, page), { recursive: true, filter: isPage });
    if (address !== undefined) makeLinksAbsolute(folder, page, `${address}/blob/v${version}`);
  }
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

/** Not what an example has installed. */
function isPage(path) {
  return !/[\\/]node_modules$/.test(path);
}

function makeLinksAbsolute(folder, page, base) {
  if (!page.includes(".")) {
    for (const name of readdirSync(join(folder, page))) {
      makeLinksAbsolute(folder, posix.join(page, name), base);
    }
    return;
  }
  if (!page.endsWith(".md")) return;
  const text = readFileSync(join(folder, page), "utf8");
  const absolute = text.replace(/\]\((?![a-z]+:|#)([^)]+)\)/g, (_, link) => {
    return `](${base}/${posix.join(posix.dirname(page), link)})`;
  });
  writeFileSync(join(folder, page), absolute);
}
