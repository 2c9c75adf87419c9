import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { pageWorld } from "./support/page-world.js";
import { writeTranscript } from "./support/write-transcript.js";

const world = pageWorld();
let page: Page;
let next = 1;

beforeAll(async () => {
  page = await world.page("transcripts");
});

/** Opens a transcript with these texts of the model. Resolves to the longest time for which the page did not react. */
async function openTexts(texts: readonly string[]): Promise<number> {
  const id = `00000000-0000-4000-8000-${String(next++).padStart(12, "0")}`;
  const lines = texts.map((text) => ({
    type: "assistant" as const,
    content: [{ type: "text", text }],
  }));
  writeTranscript(world.place.configDir, id, [{ type: "user", content: "Write." }, ...lines]);
  const source = await page.locator(".source").getAttribute("data-source");
  await page.evaluate(() => {
    let last = performance.now();
    const found = { longest: 0 };
    Object.assign(window, { found });
    setInterval(() => {
      found.longest = Math.max(found.longest, performance.now() - last - 20);
      last = performance.now();
    }, 20);
  });
  await world.go(page, `transcripts/${source}/${id}`);
  await page.locator(".virtual .message-text").first().waitFor();
  await page.getByText(`${texts.length + 1} messages`, { exact: true }).waitFor();
  return page.evaluate(() => (window as unknown as { found: { longest: number } }).found.longest);
}

/** Texts that take a parser of Markdown seconds, or more calls than the stack has room for. */
const HOSTILE: readonly string[] = [
  `${"a".repeat(9_000)}@${"b".repeat(9_000)}`,
  "[".repeat(19_000),
  "![a](".repeat(3_900),
  "<a b='".repeat(3_300),
  "1. ".repeat(6_500),
  "> ".repeat(9_000),
  "*a_".repeat(6_500),
  "`a``b".repeat(3_900),
  Array.from({ length: 200 }, (_, depth) => `${"  ".repeat(depth)}- a`).join("\n"),
  "- [ ] a\n".repeat(2_400),
  " ".repeat(19_000),
  "x ".repeat(50_000),
];

describe("Markdown of the model", () => {
  it("that would keep the page busy is shown as it is, and the page reacts all the time", async () => {
    const calm = await openTexts(HOSTILE.map(() => "A **short** answer."));
    expect(await page.locator(".markdown strong").first().textContent()).toBe("short");
    const busy = await openTexts(HOSTILE);
    console.log(
      `the page did not react for ${Math.round(calm)} ms, with hostile texts ${Math.round(busy)} ms`,
    );
    // Without limits, the first of these texts alone takes several seconds.
    expect(busy).toBeLessThan(2_000);
    const first = page.locator(".virtual .message-text .markdown").first();
    expect(await first.locator("pre").textContent()).toBe(HOSTILE[0]);
    expect(world.complaints).toEqual([]);
  });

  it("of a usual answer is drawn as Markdown, also if it is long", async () => {
    const item = "- Take a **bowline** for a loop, see `knots.md` and https://example.com/knots.\n";
    await openTexts([
      `# Knots\n\n${item.repeat(120)}\n| knot | use |\n|---|---|\n| bowline | loop |`,
    ]);
    const markdown = page.locator(".virtual .markdown").first();
    await markdown.locator("table").waitFor();
    expect(await markdown.locator("li").count()).toBe(120);
    expect(await markdown.locator("a").first().getAttribute("rel")).toContain("noopener");
  });
});
