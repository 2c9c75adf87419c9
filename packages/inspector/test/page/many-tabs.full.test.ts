import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { pageWorld } from "./support/page-world.js";

const world = pageWorld();

/** Browsers without a screen show all tabs at once, so that a test says which of them are hidden. */
async function hideable(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    let isHidden = false;
    Object.defineProperty(document, "hidden", { get: () => isHidden });
    Object.assign(window, {
      setHidden(next: boolean) {
        isHidden = next;
        document.dispatchEvent(new Event("visibilitychange"));
      },
    });
  });
}

function setHidden(page: Page, isHidden: boolean): Promise<void> {
  return page.evaluate((next) => {
    (window as unknown as { setHidden(isHidden: boolean): void }).setHidden(next);
  }, isHidden);
}

const connected = (page: Page) => page.locator(".connection-open").count();

describe("eight tabs of one browser", () => {
  it("leave connections for requests: the shown tab and one hidden tab read the stream", async () => {
    const first = await world.page();
    const context = first.context();
    await hideable(context);
    await first.reload();
    const tabs = [first];
    await first.locator(".connection-open").waitFor();
    while (tabs.length < 8) {
      await setHidden(tabs.at(-1) as Page, true);
      const tab = await world.secondTab(first);
      tabs.push(tab);
      await tab.locator(".connection-open").waitFor({ timeout: 60_000 });
    }
    const counts = async () => (await Promise.all(tabs.map(connected))).reduce((a, b) => a + b, 0);
    await expect.poll(counts, { timeout: 60_000 }).toBe(2);
    const last = tabs.at(-1) as Page;
    expect(await connected(last)).toBe(1);
    // A request of the shown tab has a connection.
    await world.go(last, "transcripts");
    await last.getByText("transcript", { exact: false }).first().waitFor();

    // What happened meanwhile is there when a hidden tab is shown, and the hidden one that reads has it, too.
    const session = await world.open();
    world.script("A bowline.");
    await session.send("A knot?").text();
    const waiting = tabs.filter((tab) => tab !== last);
    for (const tab of waiting) {
      if ((await connected(tab)) === 1) continue;
      await setHidden(last, true);
      await setHidden(tab, false);
      await tab.locator(".connection-open").waitFor({ timeout: 60_000 });
      await world.go(tab, "live");
      await tab.locator(".session-row").first().waitFor();
      break;
    }
    expect(world.complaints).toEqual([]);
  }, 180_000);
});
