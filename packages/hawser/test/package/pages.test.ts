import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { baseOf, linksInPackage } from "../../../../tools/page-links.js";
import { copyPages, withAddress } from "../../scripts/pages.js";

const ADDRESS = "https://example.org/hawser";

/** A repository with a page and a guide, copied into the folder of a package. */
function copied(address: string | undefined): (page: string) => string {
  const folder = mkdtempSync(join(tmpdir(), "pages-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "repository/docs"), { recursive: true });
  const [readme, guide] = ["README.md", "docs/a.md"].map((page) =>
    join(folder, "repository", page),
  );
  writeFileSync(String(readme), "[A](docs/a.md#x) [B](https://b.example) [C](#c)");
  writeFileSync(String(guide), "[B](b.md) [up](../README.md) [how](architecture.md#base)");
  writeFileSync(join(folder, "repository/docs/architecture.md"), "for contributors");
  const target = join(folder, "package");
  mkdirSync(join(target, "docs"), { recursive: true });
  writeFileSync(join(target, "docs/old.md"), "removed from the repository since the last build");
  copyPages(join(folder, "repository"), target, { address, version: "1.2.3" });
  expect(existsSync(join(target, "docs/old.md"))).toBe(false);
  expect(existsSync(join(target, "docs/architecture.md"))).toBe(false);
  return (page) => readFileSync(join(target, page), "utf8");
}

describe("copyPages()", () => {
  it("keeps links relative without an address, and drops links to pages that are not shipped", () => {
    const read = copied(undefined);
    expect(read("README.md")).toBe("[A](docs/a.md#x) [B](https://b.example) [C](#c)");
    expect(read("docs/a.md")).toBe("[B](b.md) [up](../README.md) how");
  });

  it("makes links absolute with an address, at the tag of the version", () => {
    const read = copied(ADDRESS);
    const base = `${ADDRESS}/blob/v1.2.3`;
    expect(read("README.md")).toBe(`[A](${base}/docs/a.md#x) [B](https://b.example) [C](#c)`);
    expect(read("docs/a.md")).toBe(
      `[B](${base}/docs/b.md) [up](${base}/README.md) [how](${base}/docs/architecture.md#base)`,
    );
  });
});

describe("linksInPackage()", () => {
  const text =
    "[pool](pool.md#size) [here](fleet.md#runs) [page](inspector.md) [why](architecture.md)\n\n![a](images/a.png)\n\nend";
  const place = { page: "docs/fleet.md", packageName: "@hawser/fleet" };

  it("leads to the guides in hawser, names the packages of other guides, and leaves pictures out", () => {
    expect(linksInPackage(text, { ...place, base: undefined })).toBe(
      "[pool](../../hawser/docs/pool.md#size) [here](#runs) page (README of @hawser/inspector) why\n\nend",
    );
  });

  it("leaves out a sentence that only leads to a page that is not installed", () => {
    const page = "It ends. See [why](architecture.md#ends). It is fast. See [pool](pool.md).";
    const packed = linksInPackage(page, {
      page: "docs/a.md",
      packageName: "hawser",
      base: undefined,
    });
    expect(packed).toBe("It ends. It is fast. See [pool](pool.md).");
  });

  it("says in a table that a page is in the repository", () => {
    const page = "| to know | [how](architecture.md) |";
    const packed = linksInPackage(page, {
      page: "docs/a.md",
      packageName: "hawser",
      base: undefined,
    });
    expect(packed).toBe("| to know | how (in the repository) |");
  });

  it("makes all links absolute with an address", () => {
    const base = baseOf(ADDRESS, "1.2.3");
    expect(linksInPackage(text, { ...place, base })).toContain(`[pool](${base}/docs/pool.md#size)`);
    expect(linksInPackage(text, { ...place, base })).toContain(
      `![a](${ADDRESS}/raw/v1.2.3/docs/images/a.png)`,
    );
  });
});

describe("withAddress()", () => {
  const manifest = {
    name: "hawser",
    version: "1.2.3",
    description: "d",
    keywords: ["k"],
    type: "m",
  };

  it("fills repository, homepage and bugs", () => {
    expect(withAddress(manifest, ADDRESS)).toMatchObject({
      ...manifest,
      repository: { type: "git", url: `git+${ADDRESS}.git`, directory: "packages/hawser" },
      homepage: `${ADDRESS}#readme`,
      bugs: `${ADDRESS}/issues`,
    });
  });

  it("removes them without an address", () => {
    expect(withAddress(withAddress(manifest, ADDRESS), undefined)).toEqual(manifest);
  });
});
