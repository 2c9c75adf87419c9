import { type Inspector, inspector } from "@hawser/inspector";
import { apiError, text, toolUse } from "hawser/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedBrowser, startBrowser } from "../../../inspector/test/page/support/browser.js";
import { checkView, drawView, SCREENS } from "../../../inspector/test/page/support/check-view.js";
import type { Run } from "../../src/runs/run.js";
import { WorkerWorld } from "../worker/worker-world.helper.js";

let world: WorkerWorld;
let browser: StartedBrowser;
let server: Inspector;
let url: string;
let runs: Readonly<Record<"done" | "waiting" | "failed" | "queued", Run>>;

beforeAll(async () => {
  [world, browser] = await Promise.all([WorkerWorld.create(), startBrowser()]);
  await world.fleet.tenants.set("alice", { concurrency: 3, budgetUsd: { day: 10 } });
  await world.fleet.tenants.set("bob", { paused: true });
  // A question parks its run at once, so that the pictures show a host without work.
  await world.work({ name: "north-quay", approve: askAboutPushes, holdMs: 1 });
  runs = await runsOfAllKinds();
  server = inspector({ source: world.fleet, name: "fleet" });
  url = await server.listen();
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  if (runs !== undefined) await settle(runs.waiting);
  await world?.[Symbol.asyncDispose]();
});

function askAboutPushes({ input }: { readonly input: Readonly<Record<string, unknown>> }) {
  return String(input["command"]).includes("push") ? ("ask" as const) : ("allow" as const);
}

/** One run in each state in which a run stays. */
async function runsOfAllKinds(): Promise<typeof runs> {
  const done = await world.fleet.submit(`Which knots do the notes name?\n${knots()}`, {
    ...{ tenant: "alice", budgetUsd: 0.5 },
  });
  await done.result();
  const failed = await world.fleet.submit(`Measure the rope.\n${broken()}`, { tenant: "carol" });
  await expect(failed.result()).rejects.toMatchObject({ name: "HawserError" });
  const queued = await world.fleet.submit("Paint the boat.", { tenant: "bob" });
  const waiting = await world.fleet.submit(`Publish the notes.\n${pusher()}`, { tenant: "alice" });
  for await (const { type } of waiting.events()) if (type === "parked") break;
  return { done, failed, queued, waiting };
}

function knots(): string {
  const command = "printf 'bowline\\nsheet bend\\n'";
  return world.agent(({ results }) =>
    results.length === 0
      ? [text("I read the notes."), toolUse("Bash", { command, description: "Read the notes" })]
      : "The notes name **two knots**:\n\n1. the bowline, a loop that holds\n2. the sheet bend, which joins two ropes",
  );
}

function broken(): string {
  return world.agent(() =>
    apiError(400, { message: "The rope is too long.", type: "invalid_request_error" }),
  );
}

function pusher(): string {
  const command = "git push origin main";
  return world.agent(({ results }) =>
    results.length === 0
      ? toolUse("Bash", { command, description: "Publish the notes" })
      : "The notes are not published.",
  );
}

/** Answers the question of a run and waits for its end, so that its worker removes the folder of the run. */
async function settle(run: Run): Promise<void> {
  for (const { id } of await world.fleet.approvals.pending({ run: run.id })) {
    await world.fleet.approvals.answer(id, { behavior: "deny", message: "Not today." });
  }
  await run.result();
}

describe.each(SCREENS)("the views of a fleet on $screen", ({ screen, viewport, colorScheme }) => {
  let page: Page;
  beforeAll(async () => {
    const context = await browser.browser.newContext({
      ...{ viewport, colorScheme, reducedMotion: "reduce" },
    });
    page = await context.newPage();
    await page.goto(url);
    await page.getByText("Connected", { exact: true }).waitFor({ state: "attached" });
  });
  afterAll(() => page?.context().close());

  it("Pool and fleet has no serious finding of axe-core, and fits into the width", async () => {
    await page.goto(`${new URL(url).origin}/#/state`);
    await page.getByText("0 of 2 slots").waitFor();
    for (const state of Object.keys(runs)) {
      const row = page.getByRole("row").filter({ hasText: new RegExp(`^${state}1$`) });
      await row.waitFor();
    }
    await checkView(page);
    await drawView(page, "fleet", screen);
  });

  it.each(["done", "waiting", "failed", "queued"] as const)(
    "a run that is %s has no serious finding of axe-core, and fits into the width",
    async (state) => {
      await page.goto(`${new URL(url).origin}/#/live`);
      await page.locator(`.session-row[href*="${runs[state].id}"]`).click();
      const detail = page.locator(".split-main");
      await detail.locator(".detail-head").getByText(state).waitFor();
      await detail.locator("[data-numbers]").filter({ hasText: LAST_EVENT[state] }).waitFor();
      await checkView(page);
      if (state === "done") await drawView(page, "run", screen);
    },
  );
});

/** The event after which nothing more happens to a run in this state. */
const LAST_EVENT = {
  done: "ended",
  waiting: "parked",
  failed: "ended",
  queued: "queued",
} as const;
