import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { pageWorld } from "./support/page-world.js";
import { type Line, writeTranscript } from "./support/write-transcript.js";

const LONG = "00000000-0000-4000-8000-000000000020";
const SHORT = "00000000-0000-4000-8000-000000000001";
const MESSAGES = 20_000;

const world = pageWorld();
let page: Page;

beforeAll(async () => {
  writeTranscript(world.place.configDir, SHORT, SHORT_LINES);
  writeTranscript(world.place.configDir, LONG, longLines());
  page = await world.page("transcripts");
});

afterEach(() => {
  expect(world.complaints).toEqual([]);
});

const SHORT_LINES: readonly Line[] = [
  { type: "user", content: "Rename the rope." },
  {
    type: "assistant",
    content: [
      { type: "text", text: "I **rename** it." },
      {
        type: "tool_use",
        id: "t1",
        name: "Edit",
        input: {
          file_path: "/work/rope.js",
          old_string: "const a = 1;",
          new_string: "const rope = 1;",
        },
      },
    ],
  },
  {
    type: "user",
    content: [{ type: "tool_result", tool_use_id: "t1", content: "The file was changed." }],
  },
  { type: "assistant", content: [{ type: "text", text: "Done." }] },
];

function longLines(): Line[] {
  return Array.from({ length: MESSAGES }, (_, index): Line => {
    if (index % 2 === 0)
      return { type: "user", content: `Question ${index}: what about knot ${index}?` };
    const needle = index === 17_001 ? " the-needle-in-the-haystack" : "";
    const content = `Answer ${index}${needle}. ${"A bowline holds well. ".repeat(1 + (index % 9))}\n\n- one\n- two`;
    return { type: "assistant", content: [{ type: "text", text: content }] };
  });
}

function list() {
  return page.getByRole("region", { name: "Transcript" });
}

describe("the transcripts view", () => {
  it("shows messages as Markdown, edits as diffs, results, and the tokens of a turn", async () => {
    await page.locator(".session-row").filter({ hasText: "Rename the rope." }).click();
    await list().getByText("Done.").waitFor();
    expect(await list().locator(".markdown strong").textContent()).toBe("rename");
    expect(await list().locator(".diff-removed").textContent()).toContain("const a = 1;");
    expect(await list().locator(".diff-added").textContent()).toContain("const rope = 1;");
    await list().getByText("Result").click();
    await list().getByText("The file was changed.").waitFor();
    expect(await list().locator(".turn-end").textContent()).toContain("2.0k from the cache");
  });

  it("exports a transcript as Markdown and as JSON", async () => {
    const [markdown] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export Markdown" }).click(),
    ]);
    expect(markdown.suggestedFilename()).toBe(`${SHORT}.md`);
    expect(await readFile(await markdown.path(), "utf8")).toContain(
      "## Prompt\n\nRename the rope.",
    );
    const [json] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export JSON" }).click(),
    ]);
    expect((await readFile(await json.path(), "utf8")).trim().split("\n")).toHaveLength(4);
  });

  it("plays a transcript on a time line", async () => {
    await page.locator("main").getByRole("link", { name: "Replay" }).click();
    await page.locator(".player").getByText("4 of 4 moments").waitFor();
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByText("3 of 4 moments").waitFor();
    await page.getByLabel("Speed").selectOption("20");
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByText("4 of 4 moments").waitFor();
    await world.go(page, "transcripts");
  });

  it("forks and deletes a transcript", async () => {
    await page.locator(".session-row").filter({ hasText: "Rename the rope." }).click();
    await page.getByRole("button", { name: "Fork" }).click();
    await page.getByText(/^Copied to the session/).waitFor();
    await expect.poll(() => page.url()).not.toContain(SHORT);
    await list().getByText("Done.").waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Press again to delete" }).click();
    await page.getByText(/^Deleted the session/).waitFor();
  });

  it("finds a text in all transcripts", async () => {
    await world.go(page, "transcripts");
    await page.getByLabel("Search all transcripts").fill("the-needle-in-the-haystack");
    await page.locator(".excerpt").filter({ hasText: "the-needle" }).waitFor();
    await page.locator(".session-row").click();
    await page.getByText("20,000 messages", { exact: true }).waitFor();
  });

  it("searches 20,000 entries in under a second", async () => {
    const field = page.getByLabel("Search in this transcript");
    await field.fill("nothing has this text");
    await page.getByText("Nothing found").waitFor();
    const times: number[] = [];
    for (const query of ["the-needle-in-the-haystack", "knot 19998", "bowline"]) {
      times.push(await field.evaluate(searchFor, query));
      await page
        .locator(".hit")
        .filter({ hasText: new RegExp(query, "i") })
        .waitFor();
    }
    console.log(`found in 20,000 entries after ${times.map(Math.round).join(", ")} ms`);
    expect(Math.max(...times)).toBeLessThan(1000);
  });

  it("scrolls 20,000 entries without jank, and draws few of them", async () => {
    const field = page.getByLabel("Search in this transcript");
    await field.fill("");
    const { frames, rows, shown } = await list().evaluate(scrollDown);
    const [median = 0, p95 = 0] = [150, 285].map((place) => Math.round(frames[place] ?? 0));
    console.log(`a frame took ${median} ms (median), ${p95} ms (p95), with at most ${rows} rows`);
    expect(rows).toBeLessThan(60);
    expect(shown).toBeGreaterThan(1);
    // Observed: 17 ms, as many as a screen shows. Other tests use the machine at the same time, so that single frames
    // say nothing. A list that draws all rows, or measures them again and again, takes hundreds for each frame.
    expect(median).toBeLessThan(50);
    // The end is reachable, and nothing covers anything else there.
    await list().evaluate((box) => {
      box.scrollTop = box.scrollHeight;
    });
    await list().getByText("Answer 19999").waitFor();
  });
});

/** Runs in the page: writes a text into the field, and waits until the row with it is drawn. */
async function searchFor(field: Element, query: string): Promise<number> {
  const start = performance.now();
  (field as HTMLInputElement).value = query;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  const isShown = () => {
    const hit = document.querySelector(".hit")?.textContent ?? "";
    return hit.toLowerCase().includes(query.toLowerCase());
  };
  while (!isShown()) await new Promise(requestAnimationFrame);
  return performance.now() - start;
}

/** Runs in the page: scrolls 300 times, and measures the time of each frame, the shortest first. */
async function scrollDown(box: Element) {
  box.scrollTop = 0;
  await new Promise(requestAnimationFrame);
  const frames: number[] = [];
  let rows = 0;
  let before = performance.now();
  for (let step = 0; step < 300; step += 1) {
    box.scrollTop += 400;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    frames.push(now - before);
    before = now;
    rows = Math.max(rows, box.querySelectorAll(".virtual-row").length);
  }
  const area = box.getBoundingClientRect();
  const shown = [...box.querySelectorAll(".virtual-row")].filter((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return bottom > area.top && top < area.bottom;
  }).length;
  return { frames: frames.sort((a, b) => a - b), rows, shown };
}
