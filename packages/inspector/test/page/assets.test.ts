import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL("../../dist/page/", import.meta.url));
const assets = readdirSync(join(folder, "assets")).map((name) => `assets/${name}`);
const html = readFileSync(join(folder, "index.html"), "utf8");

describe("the built page", () => {
  it("has at most 100 KB of assets, compressed", () => {
    const sizes = ["index.html", ...assets].map(
      (name) => gzipSync(readFileSync(join(folder, name))).length,
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(100 * 1024);
  });

  it("names its assets by a hash of their content, and nothing of another server", () => {
    expect(assets).toHaveLength(2);
    for (const name of assets) {
      expect(name).toMatch(/^assets\/\w+-[0-9a-f]{10}\.(js|css)$/);
      expect(html).toContain(name);
      const text = readFileSync(join(folder, name), "utf8");
      expect(text).not.toMatch(/@import|url\(["']?https?:|importScripts/);
    }
    expect(html).not.toMatch(/https?:/);
  });

  it("has no script and no style inside of the document", () => {
    expect(html).not.toMatch(/<style|style=|<script(?![^>]*src=)|\son\w+=/);
  });
});
