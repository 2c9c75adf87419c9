import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { createPool, type Pool } from "hawser";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEMO_TRANSCRIPT, Demo } from "./support/demo.js";
import { PageWorld } from "./support/page-world.js";

const AXE_SOURCE = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);
const IMAGES = fileURLToPath(new URL("../../../../docs/images/inspector/", import.meta.url));
const isDrawing = process.env["HAWSER_SCREENSHOTS"] === "1";

const SCREENS = [
  { name: "desktop-light", width: 1280, height: 860, colorScheme: "light" },
  { name: "desktop-dark", width: 1280, height: 860, colorScheme: "dark" },
  { name: "phone-light", width: 390, height: 844, colorScheme: "light" },
  { name: "phone-dark", width: 390, height: 844, colorScheme: "dark" },
] as const;

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

describe.each(SCREENS)("the views on $name", ({ name: screen, width, height, colorScheme }) => {
  let page: Page;
  beforeAll(async () => {
    page = await world.page("", {
      viewport: { width, height },
      colorScheme,
      reducedMotion: "reduce",
    });
  });
  afterAll(() => page?.context().close());

  it.each(VIEWS)(
    "$name has no serious finding of axe-core, and fits into the width",
    async ({ name, open }) => {
      await world.go(page, name.replace("-edit", ""));
      await open(page);
      const findings = await axe(page);
      expect(findings).toEqual([]);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow).toBeLessThanOrEqual(0);
      expect(world.complaints).toEqual([]);
      if (isDrawing) {
        mkdirSync(IMAGES, { recursive: true });
        await page.screenshot({ path: `${IMAGES}${name}-${screen}.png` });
      }
    },
  );
});

/** The serious and critical findings. The script runs by the debugger, because the page allows no other one. */
async function axe(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE_SOURCE);
  return page.evaluate(async () => {
    const { axe: checker } = window as unknown as {
      axe: {
        run(): Promise<{
          violations: {
            id: string;
            impact: string;
            nodes: { html: string; failureSummary: string }[];
          }[];
        }>;
      };
    };
    const { violations } = await checker.run();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
      );
  });
}

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
