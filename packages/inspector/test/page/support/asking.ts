import type { PermissionResult } from "hawser";
import type { Locator, Page } from "playwright-core";
import type { PageWorld } from "./page-world.js";

let calls = 0;

/** Asks as the CLI does, without a CLI: for tests of what the page does with a question. */
export function ask(
  world: PageWorld,
  tool: string,
  input: Record<string, unknown>,
  context: Record<string, unknown> = {},
): Promise<PermissionResult | null> {
  calls += 1;
  const { signal } = new AbortController();
  const given = { toolUseID: `asked-${calls}`, signal, cwd: "/nowhere", ...context };
  return Promise.resolve(world.approvals.canUseTool(tool, input, given as never));
}

/** The card of an open question. */
export function card(page: Page, text: string): Locator {
  return page.getByRole("article").filter({ hasText: text });
}

/** Answers everything that a test has left open. */
export async function denyAll(world: PageWorld): Promise<void> {
  for (const { id, kind } of world.approvals.pending()) {
    const behavior = kind === "elicitation" ? "cancel" : "deny";
    await world.approvals.answer(id, { behavior } as never, { by: "the end of the test" });
  }
}

/** For a moment after the cards have moved, the page takes no answers. */
export async function untilSteady(page: Page): Promise<void> {
  await page.locator(".cards:not([data-moving])").waitFor({ state: "attached" });
}
