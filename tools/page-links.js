// Links in the pages that packages ship. With a public address of the repository, they are absolute, which works on any
// page. Without one, they are relative where the target is installed, which works in node_modules, and words elsewhere.
import { posix } from "node:path";

/** What the package `hawser` holds beside its code. */
export const PAGES = ["README.md", "LICENSE", "SECURITY.md", "docs", "examples"];

/** Pages that are no guides, and those of other packages. The package `hawser` has to stay small. */
export const ONLY_IN_REPOSITORY = [
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "docs/ai-sdk.md",
  "docs/architecture.md",
  "docs/benchmarks.md",
  "docs/benchmarks.svg",
  "docs/benchmarks-callers.svg",
  "docs/benchmarks-ending.svg",
  "docs/benchmarks-events.svg",
  "docs/capacity.md",
  "docs/capacity.svg",
  "docs/command-packages.md",
  "docs/fleet.md",
  "docs/gateway.md",
  "docs/images",
  "docs/inspector.md",
  "docs/observability.md",
  "docs/observability.svg",
  "docs/reliability.md",
  "docs/runtimes.md",
  "docs/source-systems.md",
  "docs/versions.md",
  "examples/ai-sdk-chat",
  "examples/ai-sdk-tool-loop.js",
  "examples/deploy",
  "examples/fleet-deploy",
  "examples/fleet-http-chat.js",
  "examples/fleet-terminal-chat.js",
];

/** The guides that are the READMEs of packages. */
const README_OF = {
  "docs/ai-sdk.md": "@hawser/ai-sdk",
  "docs/fleet.md": "@hawser/fleet",
  "docs/gateway.md": "@hawser/gateway",
  "docs/inspector.md": "@hawser/inspector",
  "docs/observability.md": "@hawser/otel",
};

/**
 * @param {string | undefined} address for example "https://example.org/hawser"
 * @param {string} version
 */
export function baseOf(address, version) {
  return address === undefined ? undefined : `${address}/blob/v${version}`;
}

/**
 * The text of a page of the repository, with links that work inside a package.
 *
 * @param {string} text
 * @param {{ page: string, packageName: string, base: string | undefined }} place `page` is its path in the repository.
 */
export function linksInPackage(text, { page, packageName, base }) {
  const fileOf = (target) => posix.join(posix.dirname(page), target);
  // A sentence that only leads to a page that is not installed is left out.
  const followed = text.replace(SEE, (sentence, target) => {
    const [path = ""] = fileOf(target).split("#");
    const leadsNowhere = base === undefined && !isShipped(path) && README_OF[path] === undefined;
    return leadsNowhere ? "" : sentence;
  });
  const replaced = followed.replace(LINKS, (link, image, words, target, offset) => {
    const file = fileOf(target);
    if (base !== undefined) {
      const place = image === "" ? base : base.replace("/blob/", "/raw/");
      return `${image}[${words}](${place}/${file})`;
    }
    const [path = "", part] = file.split("#");
    const isInHawser = isShipped(path);
    if (image !== "") return isInHawser && packageName === "hawser" ? link : "";
    if (isInHawser) return packageName === "hawser" ? link : `[${words}](../../hawser/${file})`;
    const owner = README_OF[path];
    if (owner === packageName && part !== undefined) return `[${words}](#${part})`;
    if (owner !== undefined) return `${words} (README of ${owner})`;
    // A table lists pages to read. Elsewhere the sentence stands without the page.
    return isInTable(followed, offset) ? `${words} (in the repository)` : words;
  });
  // A picture that was left out leaves an empty paragraph.
  return replaced.replace(/\n{3,}/g, "\n\n");
}

/** Links and pictures whose target is a file. */
const LINKS = /(!?)\[([^\]]+)\]\((?![a-z]+:|#)([^)]+)\)/g;

/** A sentence such as "See [errors](docs/errors.md)." after another one. */
const SEE = / See \[[^\]]+\]\((?![a-z]+:|#)([^)]+)\)\./g;

function isInTable(text, offset) {
  return text[text.lastIndexOf("\n", offset) + 1] === "|";
}

function isShipped(path) {
  const isBelow = (folder) => path === folder || path.startsWith(`${folder}/`);
  return PAGES.some(isBelow) && !ONLY_IN_REPOSITORY.some(isBelow);
}
