import type { Page } from "playwright-core";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { ask, card, denyAll, untilSteady } from "./support/asking.js";
import { pageWorld } from "./support/page-world.js";

const world = pageWorld();
let page: Page;

beforeAll(async () => {
  page = await world.page();
});

afterEach(async () => {
  await denyAll(world);
  await page.locator(".card").first().waitFor({ state: "detached" });
  const close = page.getByRole("button", { name: "Close the message" });
  while ((await close.count()) > 0) {
    await close
      .first()
      .click({ timeout: 1000 })
      .catch(() => {}); // The message may go by itself.
  }
  expect(world.complaints).toEqual([]);
});

/** Longer than the time for which the page takes no answers after the cards have moved. */
const SETTLE_MS = 600;

function bash(command: string) {
  return ask(world, "Bash", { command });
}

function decisions(): string[] {
  return world.approvals
    .records()
    .filter(({ by }) => by === "inspector")
    .map(({ summary, decision }) => `${decision?.behavior} ${summary.replace("Bash ", "")}`);
}

/** Where a button is, in pixels. */
async function middleOf(text: string, name: string): Promise<{ x: number; y: number }> {
  const box = await card(page, text).getByRole("button", { name }).boundingBox();
  if (box === null) throw new Error("The button is not shown.");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

describe("answers in the inbox", () => {
  it("a double click on allow answers one question, though the next one slides into its place", async () => {
    const before = decisions().length;
    const asked = ["make one", "make two", "make three"].map(bash);
    await card(page, "make three").waitFor();
    await untilSteady(page);
    const { x, y } = await middleOf("make one", "Allow once");
    await page.mouse.dblclick(x, y);
    await asked[0];
    await card(page, "make one").waitFor({ state: "detached" });
    // The next question is where the first one was. A further click at once is still not for it.
    await page.mouse.click(x, y);
    await untilSteady(page);
    expect(decisions().slice(before)).toEqual(["allow make one"]);
    // A click after a moment counts.
    await page.mouse.click(x, y);
    await asked[1];
    expect(decisions().slice(before)).toEqual(["allow make one", "allow make two"]);
  });

  it("a key that is held down answers one question", async () => {
    const before = decisions().length;
    const asked = ["make held-one", "make held-two"].map(bash);
    await card(page, "make held-two").waitFor();
    // For a moment after the first card was selected, no key allows it.
    await page.waitForTimeout(SETTLE_MS);
    // Playwright reports each further press without a release as a repetition, as the browser does.
    for (let repeat = 0; repeat < 5; repeat += 1) await page.keyboard.down("a");
    await asked[0];
    await card(page, "held-one").waitFor({ state: "detached" });
    await page.waitForTimeout(SETTLE_MS);
    for (let repeat = 0; repeat < 10; repeat += 1) await page.keyboard.down("a");
    await page.keyboard.up("a");
    expect(decisions().slice(before)).toEqual(["allow make held-one"]);
    // A held Enter on the button answers one question, too.
    const button = card(page, "held-two").getByRole("button", { name: "Allow once" });
    const third = bash("make held-three");
    await card(page, "held-three").waitFor();
    await button.focus();
    for (let repeat = 0; repeat < 10; repeat += 1) await page.keyboard.down("Enter");
    await asked[1];
    await card(page, "held-two").waitFor({ state: "detached" });
    await page.waitForTimeout(SETTLE_MS);
    for (let repeat = 0; repeat < 10; repeat += 1) await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    expect(decisions().slice(before)).toEqual(["allow make held-one", "allow make held-two"]);
    await denyAll(world);
    await third;
  });

  it("the next question has the focus after an answer, and its name is read", async () => {
    const asked = ["make focus-one", "make focus-two"].map(bash);
    await card(page, "focus-two").waitFor();
    await untilSteady(page);
    await card(page, "focus-one").getByRole("button", { name: "Deny" }).click();
    await page.keyboard.type("No.");
    await page.keyboard.press("Enter");
    expect(await asked[0]).toMatchObject({
      behavior: "deny",
      message: expect.stringMatching("No."),
    });
    await expect.poll(focused).toEqual({ role: "ARTICLE", name: "make focus-two" });
    // The keys go on with it, because the person has sent the form.
    await expect
      .poll(async () => {
        await page.keyboard.press("a");
        return card(page, "focus-two").count();
      })
      .toBe(0);
    expect(await asked[1]).toMatchObject({ behavior: "allow" });
    await expect.poll(focused).toEqual({ role: "H1", name: "" });
    await page.getByText("No open questions").waitFor();
  });

  it("letters typed into a form that vanishes answer nothing, also if they are keys that move", async () => {
    const before = decisions().length;
    const asked = ["make vanish-one", "make vanish-two", "make vanish-three"].map(bash);
    await card(page, "vanish-three").waitFor();
    await card(page, "vanish-one").getByRole("button", { name: "Deny" }).click();
    await page.getByLabel(/Reason for the model/).waitFor();
    await page.keyboard.type("the pro");
    const [first] = world.approvals.pending();
    await world.approvals.answer(first?.id ?? "", { behavior: "allow" }, { by: "ada" });
    await card(page, "vanish-one").waitFor({ state: "detached" });
    // The person does not look at the screen: k moves, then a would allow.
    await page.keyboard.type("ject makes a sad kayak", { delay: 60 });
    await page.getByText("The question that you were answering has ended.").waitFor();
    expect(decisions().slice(before)).toEqual([]);
    expect(await page.getByLabel(/Reason for the model/).count()).toBe(0);
    await page.waitForTimeout(1100);
    // After a pause, letters that decide need a choice first.
    await page.keyboard.press("a");
    expect(decisions().slice(before)).toEqual([]);
    await page.keyboard.press("j");
    await page.waitForTimeout(500);
    await page.keyboard.press("a");
    await expect.poll(() => decisions().slice(before)).toHaveLength(1);
    await denyAll(world);
    await Promise.all(asked);
  });

  it("a key in the moment in which a form vanishes chooses no other question", async () => {
    const before = decisions().length;
    const asked = ["make moment-one", "make moment-two"].map(bash);
    await card(page, "moment-two").waitFor();
    await card(page, "moment-one").getByRole("button", { name: "Deny" }).click();
    await page.getByLabel(/Reason for the model/).waitFor();
    // An observer is called when the card is gone, and before the browser draws the page again.
    await page.evaluate(() => {
      const observer = new MutationObserver(() => {
        observer.disconnect();
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
      });
      observer.observe(document.querySelector(".cards") as Element, { childList: true });
    });
    const [first] = world.approvals.pending();
    await world.approvals.answer(first?.id ?? "", { behavior: "allow" }, { by: "ada" });
    await page.getByText("The question that you were answering has ended.").waitFor();
    await page.waitForTimeout(SETTLE_MS);
    await page.keyboard.press("a");
    expect(decisions().slice(before)).toEqual([]);
    await denyAll(world);
    await Promise.all(asked);
  });

  it("a button that confirms takes a double click and a held key for one press", async () => {
    const session = await world.open();
    await world.go(page, "live");
    await page.locator(".session-row").filter({ hasText: "ready" }).last().click();
    const button = page.getByRole("button", { name: "Close the session" });
    const again = page.getByRole("button", { name: "Press again to close" });
    await button.dblclick();
    await again.waitFor();
    await button.waitFor({ timeout: 20_000 });
    await button.focus();
    for (let repeat = 0; repeat < 30; repeat += 1) {
      await page.keyboard.down("Enter");
      await page.waitForTimeout(30);
    }
    await page.keyboard.up("Enter");
    await again.waitFor();
    expect(await session.send("Are you there?").text()).toBe("Done.");
    await button.waitFor({ timeout: 20_000 });
    await button.click();
    await again.click();
    await page.locator(".detail-head .badge").filter({ hasText: "ended" }).waitFor();
    await world.go(page, "inbox");
  });
});

/** The element with the focus, and its name. */
function focused(): Promise<{ role: string; name: string }> {
  return page.evaluate(() => {
    const { activeElement: element } = document;
    const label = element?.getAttribute("aria-labelledby") ?? "";
    return {
      role: element?.tagName ?? "",
      name: document.getElementById(label)?.textContent ?? "",
    };
  });
}
