import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY } from "../support/folders.js";
import { PAGES, prose, readPage } from "./page.helper.js";

/** Where links may lead out of the repository. */
const HOSTS = ["semver.org", "standardschema.dev", "modelcontextprotocol.io"];

it("every link leads to a file, and to a heading in it", () => {
  expect(PAGES.flatMap((page) => deadLinks(page, readPage(page)))).toEqual([]);
});

it.each([
  ["a file that is not there", "[x](nowhere.md)"],
  ["a heading that is not there", "# A\n\n[x](#b)"],
  ["a heading of another page that is not there", "[x](pool.md#nothing)"],
  ["a host that nobody knows", "[x](https://nobody.example/hawser)"],
])("a dead link to %s is reported", (_, source) => {
  expect(deadLinks("docs/x.md", source)).toHaveLength(1);
});

it("a link to a heading is found by the name that the page's host gives it", () => {
  const source = "## A `b()`, and C-d!\n## A\n## A\n[1](#a-b-and-c-d) [2](#a) [3](#a-1)";
  expect(deadLinks("docs/x.md", source)).toEqual([]);
});

function deadLinks(page: string, source: string): string[] {
  return prose(source).flatMap((text, line) =>
    linksIn(text)
      .filter((link) => !leadsSomewhere(link, page, source))
      .map((link) => `${page}:${line}: ${link}`),
  );
}

function linksIn(text: string): string[] {
  const plain = text.replace(/`[^`]*`/g, "``");
  return [...plain.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
}

function leadsSomewhere(link: string, page: string, source: string): boolean {
  if (/^[a-z]+:/.test(link)) return HOSTS.includes(new URL(link).host);
  const [path = "", anchor] = link.split("#", 2);
  const file = path === "" ? page : join(dirname(page), path);
  if (path !== "" && !existsSync(join(REPOSITORY, file))) return false;
  if (anchor === undefined) return true;
  if (path !== "" && !statSync(join(REPOSITORY, file)).isFile()) return false;
  return anchorsOf(path === "" ? source : readPage(file)).includes(anchor);
}

function anchorsOf(source: string): string[] {
  const seen = new Map<string, number>();
  return prose(source)
    .flatMap((line) => /^#{1,6} (.+)$/.exec(line)?.[1] ?? [])
    .map((heading) => {
      const words = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "");
      const anchor = words.trim().replace(/\s/g, "-");
      const times = seen.get(anchor) ?? 0;
      seen.set(anchor, times + 1);
      return times === 0 ? anchor : `${anchor}-${times}`;
    });
}
