import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { deadLinks } from "../../../../site/dead-links.js";

/** A built site with these files. */
function site(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "site-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "docs"));
  for (const [name, html] of Object.entries(files)) writeFileSync(join(folder, name), html);
  return folder;
}

it("deadLinks() finds links to missing files and missing places, and no others", () => {
  const folder = site({
    "index.html": `<a href="docs/one">one</a> <a href="/docs/one.html#here">here</a>
      <a href="docs/two.html">two</a> <a href="/docs/one#there">there</a> <img src="no.svg">
      <a href="https://example.org/x">outside</a> <a href="#top" id="top">top</a>`,
    "docs/one.html": `<h2 id="here">Here</h2> <a href="../index.html">up</a> <a href="./">docs</a>`,
  });
  expect(deadLinks(folder)).toEqual([
    { page: "index.html", link: "docs/two.html" },
    { page: "index.html", link: "/docs/one#there" },
    { page: "index.html", link: "no.svg" },
    { page: "docs/one.html", link: "./" },
  ]);
});
