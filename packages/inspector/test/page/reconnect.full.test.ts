import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CommandWorld, kill, type Started } from "../server/command-world.helper.js";
import { SseReader } from "../server/sse-reader.helper.js";
import { card } from "./support/asking.js";
import { type StartedBrowser, startBrowser } from "./support/browser.js";
import { InsideProgram } from "./support/inside-program.js";

const world = new CommandWorld();
let browser: StartedBrowser;
let program: InsideProgram;
let server: Started;
let page: Page;

beforeAll(async () => {
  [browser, program, server] = await Promise.all([
    startBrowser(),
    InsideProgram.start(world.env, world.folder),
    world.inspect("--port", "0"),
  ]);
  page = await open(server.first.url);
});
afterAll(async () => {
  await browser?.close();
  await program?.close();
  await world.close();
});

async function open(url: string): Promise<Page> {
  const opened = await (await browser.browser.newContext()).newPage();
  await opened.goto(url);
  await opened.locator(".source", { hasText: "inside" }).first().waitFor({ state: "attached" });
  return opened;
}

/** Kills the server, does something meanwhile, and starts the server again at the same address. */
async function restart(meanwhile: () => Promise<unknown>): Promise<void> {
  const { port } = new URL(server.first.url);
  await kill(server);
  await page.locator(".connection-lost").waitFor();
  await meanwhile();
  server = await world.inspect("--port", port);
  await page.locator(".connection-open").waitFor();
}

/** What the page says about the program. */
async function counts(): Promise<{ events: number; last: number; resets: number }> {
  const facts = page.locator(".source", { hasText: "inside" }).first().locator("[data-events]");
  // All at once, because events arrive meanwhile.
  const { events, last, resets } = await facts.evaluate((part) => ({
    ...(part as HTMLElement).dataset,
  }));
  return { events: Number(events), last: numberOf(last ?? ""), resets: Number(resets) };
}

/** The number of the newest event that the program itself has. */
async function newestOfSource(): Promise<number> {
  const { origin, hash } = new URL(server.first.url);
  const headers = { authorization: `Bearer ${hash.replace("#token=", "")}` };
  const id = await page
    .locator(".source", { hasText: "inside" })
    .first()
    .getAttribute("data-source");
  const stream = `${origin}/sources/${id}/hawser/v1/events`;
  const reader = await SseReader.open(stream, headers);
  const snapshot = await reader.until(({ kind }) => kind === "snapshot", 0);
  reader.leave();
  return numberOf(snapshot.id);
}

/** Not a number before the first snapshot, because there is no id yet. */
function numberOf(id: string): number {
  return id === "" ? Number.NaN : Number(id.split("-").at(-1));
}

describe("an open page of hawser inspect whose server is killed and started again", {
  timeout: 180_000,
}, () => {
  it("loses and doubles no event of a program", async () => {
    // The first snapshot says which event was the last before the page.
    await expect.poll(async () => (await counts()).last >= 0).toBe(true);
    const start = await counts();
    const first = start.last - start.events;
    // A turn that begins and ends without a server, one that begins without it, and one that ends without it.
    await restart(async () => {
      program.tell({ prompt: "Count one." });
      await program.said(({ ended }) => ended === "Count one.");
    });
    await restart(async () => program.tell({ prompt: "Count two." }));
    await program.said(({ ended }) => ended === "Count two.");
    program.tell({ prompt: "Count three." });
    await restart(() => program.said(({ ended }) => ended === "Count three."));

    await expect.poll(async () => (await counts()).last).toBe(await newestOfSource());
    // The numbers of the source have no gaps, so that each event has counted exactly once.
    const { events, last, resets } = await counts();
    expect({ events, resets }).toEqual({ events: last - first, resets: 0 });
    expect(events).toBeGreaterThan(20);
    await page.evaluate(() => {
      location.hash = "#/live";
    });
    await page.locator(".session-row").filter({ hasText: "ready" }).click();
    const words = Array.from({ length: 200 }, (_, index) => `word${index}`).join(" ");
    await expect
      .poll(async () => {
        const texts = await page.locator(".turn-ended .markdown").allTextContents();
        return texts.map((text) => text.trim());
      })
      .toEqual([words, words, words]);
  });

  it("keeps what a person was typing, drops questions that ended meanwhile, and sends the answer", async () => {
    await page.evaluate(() => {
      location.hash = "#/inbox";
    });
    program.tell({ ask: "make first-question" });
    await card(page, "first-question").waitFor();
    program.tell({ prompt: "Make a folder." });
    await card(page, "mkdir a-folder").waitFor();
    await card(page, "mkdir a-folder").getByRole("button", { name: "Deny" }).click();
    const field = page.getByLabel(/Reason for the model/);
    await field.fill("Not on the live ");
    await restart(async () => {
      expect(await field.inputValue()).toBe("Not on the live ");
      await page.keyboard.type("sys");
      program.tell({ answer: true });
      await program.said(({ answered }) => answered?.includes("first-question"));
    });
    await card(page, "first-question").waitFor({ state: "detached" });
    // The focus is still in the field.
    await page.keyboard.type("tem.");
    expect(await field.inputValue()).toBe("Not on the live system.");
    await page.keyboard.press("Enter");
    const { toolResult } = await program.said((line) => line.toolResult !== undefined);
    expect(toolResult).toContain("Not on the live system.");
  });

  it("shows that a program was started again, and its new snapshot, in the page of that program too", async () => {
    const env = { ...world.env, PORT: "0", TOKEN: "a-token-that-survives-the-program" };
    const own = await InsideProgram.start(env, world.folder);
    const { url, ready } = await own.said((line) => line.ready !== undefined);
    const inside = await open(url);
    const { port } = new URL(url);
    await inside.evaluate(() => {
      location.hash = "#/live";
    });
    await inside.locator(".session-row").click();
    own.tell({ prompt: "Count." });
    await inside.locator(".streamed").waitFor();
    await own.kill();
    await inside.locator(".connection-lost").waitFor();
    const again = await InsideProgram.start({ ...env, PORT: port }, world.folder);
    try {
      await inside.locator(".connection-open").waitFor();
      await inside.getByText("inside was started again.").waitFor();
      // The session of the earlier program is not shown as if it still worked.
      await inside.getByText("This program has ended, or was started again.").waitFor();
      expect(await inside.getByRole("button", { name: "Stop the turn" }).count()).toBe(0);
      const rows = inside.locator(".session-row");
      await expect.poll(() => rows.count()).toBe(1);
      await rows.click();
      const { ready: now } = await again.said((line) => line.ready !== undefined);
      expect(now).not.toBe(ready);
      await inside.getByText(now.slice(0, 8)).waitFor();
      await inside.locator(".menu summary").click();
      await inside.getByText(`process ${again.pid}`).waitFor();
      expect(await inside.locator(".source").filter({ hasText: "gone" }).count()).toBe(1);
    } finally {
      await inside.context().close();
      await again.close();
    }
  });

  it("plays a file of the command line on the time line", async () => {
    const file = join(world.folder, "moored.jsonl");
    const lines = [
      { cassette: 1 },
      { take: 1, ms: 0, kind: "start", argv: [] },
      { take: 1, ms: 10, kind: "in", json: { type: "user", message: { content: "Moor." } } },
      {
        take: 1,
        ms: 900,
        kind: "out",
        json: { type: "result", subtype: "success", result: "Ok." },
      },
      { take: 1, ms: 950, kind: "err", text: "a warning" },
    ];
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
    const replays = await world.inspect("--port", "0", file);
    const player = await (await browser.browser.newContext()).newPage();
    await player.goto(replays.first.url);
    await player.getByText("Connected", { exact: true }).waitFor();
    await player.evaluate(() => {
      location.hash = "#/replay";
    });
    await player.getByRole("button", { name: /moored\.jsonl/ }).click();
    await player.getByText("4 of 4 moments").waitFor();
    const marks = player.locator(".time-line .lane");
    const drawn = await marks.evaluateAll((lanes) => lanes.map((lane) => lane.getAttribute("d")));
    expect(drawn.map((path) => path?.split("M").length)).toEqual([2, 2, 2, 2]);
    await player.getByRole("button", { name: "Back" }).click();
    await player.getByText("3 of 4 moments").waitFor();
    expect(await player.locator(".moment").count()).toBe(3);
    await player.context().close();
  });
});
