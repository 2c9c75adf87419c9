import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { reply, toolUse } from "hawser/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedBrowser, startBrowser } from "../../../inspector/test/page/support/browser.js";
import { collect } from "../support/collect.js";
import { WorkerWorld } from "../worker/worker-world.helper.js";

const HAWSER = fileURLToPath(new URL("../../../hawser/dist/bin/main.js", import.meta.url));

let world: WorkerWorld;
let browser: StartedBrowser;
let folder: string;
let server: ChildProcess;
let url: URL;
let page: Page;

beforeAll(async () => {
  folder = mkdtempSync("/tmp/hfp-");
  [world, browser] = await Promise.all([WorkerWorld.create(), startBrowser()]);
  await world.fleet.tenants.set("alice", { concurrency: 3, budgetUsd: { day: 10 } });
  await world.fleet.tenants.set("bob", { paused: true });
  await world.work({ slots: 2, name: "north-quay", approve: asksAboutTrace });
  await inspect("0");
  page = await (await browser.browser.newContext()).newPage();
  await page.goto(url.href);
  await page.getByText("Connected", { exact: true }).waitFor();
});

afterAll(async () => {
  await browser?.close();
  await kill();
  await world?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function asksAboutTrace({ input }: { readonly input: Readonly<Record<string, unknown>> }) {
  return String(input["command"]).includes("trace") ? ("ask" as const) : undefined;
}

/** `hawser inspect` with the database of the fleet. */
async function inspect(port: string): Promise<void> {
  const args = [HAWSER, "inspect", "--json", "--port", port, "--database", world.databaseUrl];
  server = spawn(process.execPath, args, {
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      XDG_RUNTIME_DIR: folder,
      XDG_STATE_HOME: folder,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: server.stdout as NodeJS.ReadableStream });
  for await (const line of lines) {
    url = new URL(JSON.parse(line).url);
    return;
  }
  throw new Error(`The command has ended: ${server.exitCode}`);
}

async function kill(): Promise<void> {
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, "exit");
  server.kill("SIGKILL");
  await exited;
}

async function open(route: string): Promise<void> {
  await page.goto(`${url.origin}/#/${route}`);
}

describe("the page of hawser inspect --database", { timeout: 300_000 }, () => {
  it("shows hosts, tenants, budgets, pauses and runs of a fleet", async () => {
    await world.fleet.submit("Wait for me.", { tenant: "bob" });
    const name = world.agent(() => "Moored.");
    const done = await world.fleet.submit(`Moor the ship.\n${name}`, { tenant: "alice" });
    await done.result();
    await open("state");
    const panel = page.getByRole("region", { name: "fleet", exact: true });
    await panel.getByText("north-quay").waitFor();
    await panel.getByText("of 2 slots").waitFor();
    const alice = panel.getByRole("row").filter({ hasText: "alice" });
    await expect.poll(() => alice.textContent()).toMatch(/\$\d\.\d+ of \$10\.00/);
    const bob = panel.getByRole("row").filter({ hasText: "bob" });
    await expect.poll(() => bob.textContent()).toContain("paused");
    const states = panel.getByRole("row");
    await states.filter({ hasText: /^done1$/ }).waitFor();
    await states.filter({ hasText: /^queued1$/ }).waitFor();

    await open("live");
    const row = page.locator(".session-row").filter({ hasText: "alice" });
    await row.getByText("done").waitFor();
    await row.click();
    await page.locator(".markdown").filter({ hasText: "Moored." }).waitFor();
    await page.locator("[data-numbers]").filter({ hasText: "ended" }).waitFor();
  });

  it("answers a question of a run, with another input, and the tool runs with it", async () => {
    const name = world.agent(({ results }) =>
      results.length === 0
        ? toolUse("Bash", { command: "echo model >> trace; cat trace", description: "write" })
        : `Result: ${results[0]}`,
    );
    const run = await world.fleet.submit(`${name} Go.`, { tenant: "alice" });
    await open("inbox");
    const card = page.getByRole("article").filter({ hasText: "echo model" });
    await card.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("textbox", { name: "Command" }).fill("echo person >> trace; cat trace");
    await page.getByRole("button", { name: /Allow with this input/ }).click();
    expect(await run.result()).toMatchObject({ text: "Result: person" });
    await card.waitFor({ state: "detached" });
    await page.getByText("edited and allowed by inspector").first().waitFor();
  });

  it("loses and doubles no event of a run when the server is killed and started again under it", async () => {
    const words = Array.from({ length: 300 }, (_, index) => `word${index}`).join(" ");
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const name = world.agent(async ({ results }) => {
      if (results.length === 0) {
        return [
          { type: "text", text: words } as never,
          toolUse("Bash", { command: "echo free", description: "free" }),
        ];
      }
      await held;
      return reply(words, { chunks: 300, chunkDelayMs: 5 });
    });
    const run = await world.fleet.submit(`${name} Count.`, { tenant: "alice" });
    await open(`live/fleet/run%3A${run.id}`);
    const rows = page.locator("[data-numbers]");
    await rows.nth(1).waitFor();
    for (const isLast of [false, true]) {
      const { port } = url;
      await kill();
      await page.locator(".connection-lost").waitFor();
      // The rest of the run happens partly without a server.
      if (isLast) release();
      await inspect(port);
      await page.locator(".connection-open").waitFor();
    }
    await run.result();
    await rows.filter({ hasText: "ended" }).waitFor();
    const shown = await rows.evaluateAll((all) =>
      all.map((row) => (row as unknown as { dataset: { numbers: string } }).dataset.numbers),
    );
    const numbers = shown.flatMap((each) => each.split(" ").map(Number));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    // Pieces of text are deleted when the segment ends. All others are kept in the database, and are on the page.
    const kept = (await collect(run.events())).map(({ seq }) => seq);
    expect(kept.length).toBeGreaterThan(3);
    expect(kept.filter((number) => !numbers.includes(number))).toEqual([]);
  });
});
