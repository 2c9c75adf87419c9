import { createPool, type Pool } from "hawser";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkView, drawView, SCREENS } from "./support/check-view.js";
import { DEMO_TRANSCRIPT, Demo } from "./support/demo.js";
import { PageWorld } from "./support/page-world.js";

let pool: Pool;
let world: PageWorld;
let demo: Demo;

beforeAll(async () => {
  pool = createPool({ size: { min: 0, max: 2 } });
  world = new PageWorld({ source: pool, name: "harbour" });
  await world.start();
  demo = new Demo(world, pool);
  await demo.start();
}, 120_000);

afterAll(async () => {
  await demo?.end();
  await world?.close();
  await pool?.close();
}, 120_000);

interface View {
  readonly name: string;
  /** Opens the view, and resolves when it shows what it has. */
  readonly open: (page: Page) => Promise<unknown>;
}

const VIEWS: readonly View[] = [
  { name: "inbox", open: (page) => page.getByRole("article").nth(1).waitFor() },
  { name: "inbox-edit", open: openEdit },
  { name: "live", open: openLive },
  { name: "transcripts", open: openTranscripts },
  { name: "state", open: openState },
  { name: "requests", open: openRequests },
  { name: "failures", open: openFailures },
  { name: "replay", open: openReplay },
];

describe.each(SCREENS)("the views on $screen", ({ screen, viewport, colorScheme }) => {
  let page: Page;
  beforeAll(async () => {
    page = await world.page("", { viewport, colorScheme, reducedMotion: "reduce" });
  });
  afterAll(() => page?.context().close());

  it.each(VIEWS)(
    "$name has no serious finding of axe-core, and fits into the width",
    async ({ name, open }) => {
      await world.go(page, name.replace("-edit", ""));
      await open(page);
      await checkView(page);
      expect(world.complaints).toEqual([]);
      await drawView(page, name, screen);
    },
  );
});

async function openEdit(page: Page): Promise<void> {
  const card = page.getByRole("article").filter({ hasText: "npm test" });
  await card.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Command" }).waitFor();
}

async function openLive(page: Page): Promise<void> {
  await page.locator(".session-row").filter({ hasText: "Survey the harbour" }).click();
  await page.locator(".tool-tree .tool-tree .tool-row").waitFor();
}

async function openTranscripts(page: Page): Promise<void> {
  await page.locator(`.session-row[href*="${DEMO_TRANSCRIPT}"]`).click();
  await page.getByText("The build works again.").last().waitFor();
}

async function openState(page: Page): Promise<void> {
  await page.getByText("Processes by state").waitFor();
}

async function openRequests(page: Page): Promise<void> {
  await page.locator(".requests tbody tr").first().waitFor();
}

async function openFailures(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Show the trace" }).first().click();
  await page.locator(".trace .row").first().waitFor();
}

async function openReplay(page: Page): Promise<void> {
  await world.go(page, "transcripts");
  await page.locator(`.session-row[href*="${DEMO_TRANSCRIPT}"]`).click();
  await page.locator("main").getByRole("link", { name: "Replay" }).click();
  await page.locator(".moment").first().waitFor();
}
