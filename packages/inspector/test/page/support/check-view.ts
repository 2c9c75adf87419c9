import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** The screens on which each view is checked and drawn. */
export const SCREENS = [
  { screen: "desktop-light", viewport: { width: 1280, height: 860 }, colorScheme: "light" },
  { screen: "desktop-dark", viewport: { width: 1280, height: 860 }, colorScheme: "dark" },
  { screen: "phone-light", viewport: { width: 390, height: 844 }, colorScheme: "light" },
  { screen: "phone-dark", viewport: { width: 390, height: 844 }, colorScheme: "dark" },
] as const;

const AXE_SOURCE = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);
const IMAGES = fileURLToPath(new URL("../../../../../docs/images/inspector/", import.meta.url));

/** The open view has no serious finding of axe-core, and nothing in it is wider than the screen. */
export async function checkView(page: Page): Promise<void> {
  expect(await seriousFindings(page)).toEqual([]);
  const tooWide = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  expect(await page.evaluate(tooWide)).toBeLessThanOrEqual(0);
}

/** Makes the picture of a view for docs/inspector.md, if HAWSER_SCREENSHOTS is 1. */
export async function drawView(page: Page, view: string, screen: string): Promise<void> {
  if (process.env["HAWSER_SCREENSHOTS"] !== "1") return;
  mkdirSync(IMAGES, { recursive: true });
  await page.screenshot({ path: `${IMAGES}${view}-${screen}.png` });
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** The serious and critical findings. The script runs by the debugger, because the page allows no other one. */
async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE_SOURCE);
  const violations: readonly Violation[] = await page.evaluate(
    "axe.run().then(({ violations }) => violations)",
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
    );
}
