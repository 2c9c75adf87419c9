import { utimesSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { pageWorld } from "./support/page-world.js";
import { writeTranscript } from "./support/write-transcript.js";

const COUNT = 620;
const world = pageWorld();
let page: Page;

function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

beforeAll(async () => {
  for (let number = 1; number <= COUNT; number += 1) {
    const { configDir } = world.place;
    writeTranscript(configDir, idOf(number), [{ type: "user", content: `Voyage ${number}.` }]);
    const at = new Date(Date.UTC(2026, 0, 1) + number * 1000);
    utimesSync(join(configDir, "projects/-work", `${idOf(number)}.jsonl`), at, at);
  }
  page = await world.page("transcripts");
});

describe("the list of transcripts", () => {
  it("shows the newest, and older ones page by page, until all of more than 500 are there", async () => {
    const rows = page.locator(".session-row");
    const more = page.getByRole("button", { name: "Show older ones" });
    for (let shown = 100; shown < COUNT; shown += 100) {
      await expect.poll(() => rows.count()).toBe(shown);
      await page.getByText(`${shown} transcripts, the newest`).waitFor();
      await more.click();
    }
    await expect.poll(() => rows.count()).toBe(COUNT);
    expect(await more.count()).toBe(0);
    const titles = await rows.locator(".row-title").allTextContents();
    expect(titles).toEqual(Array.from({ length: COUNT }, (_, index) => `Voyage ${COUNT - index}.`));
    // The oldest one opens.
    await rows.last().click();
    await page.getByRole("region", { name: "Transcript" }).getByText("Voyage 1.").waitFor();
    expect(world.complaints).toEqual([]);
  });
});
