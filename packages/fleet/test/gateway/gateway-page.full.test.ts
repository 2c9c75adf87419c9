import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toolUse } from "hawser/testing";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type StartedBrowser, startBrowser } from "../../../inspector/test/page/support/browser.js";
import { checkView } from "../../../inspector/test/page/support/check-view.js";
import { CommandHome } from "../command/hawser-command.helper.js";
import { WorkerWorld } from "../worker/worker-world.helper.js";

let world: WorkerWorld;
let browser: StartedBrowser;
let home: CommandHome;

beforeAll(async () => {
  browser = await startBrowser();
});

beforeEach(async () => {
  home = new CommandHome();
  world = await WorkerWorld.create();
  // A question parks its run at once: the answer of the page has to bring the run back.
  await world.work({ name: "north-quay", holdMs: 1, approve: () => "ask" });
});

afterEach(async () => {
  await home?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

afterAll(() => browser?.close());

interface Served {
  readonly url: string;
  /** The address of the page; with its token if the server has no keys. */
  readonly inspect: string;
}

/** `hawser serve --inspect` with an agent whose requests are runs of the fleet. */
async function serve(config: object = {}): Promise<Served> {
  const agents = { clerk: { description: "Writes.", runOn: "fleet", profile: "default" } };
  writeFileSync(join(home.cwd, "hawser.config.json"), JSON.stringify({ agents, ...config }));
  const server = home.start(
    ...["serve", "--json", "--offline", "--port", "0", "--inspect"],
    ...["--database", world.databaseUrl],
  );
  await server.says('"event":"listening"');
  return JSON.parse(server.stdout.split("\n")[0] ?? "");
}

/** An agent that writes one line, if it may, and says what the file has then. */
function writer(word: string): string {
  return world.agent(({ results }) =>
    results.length === 0
      ? toolUse("Bash", { command: `echo ${word} >> notes; cat notes`, description: "Write" })
      : `The notes say: ${results[0]}`,
  );
}

async function openPage(address: string): Promise<Page> {
  const page = await (await browser.browser.newContext()).newPage();
  await page.goto(address);
  await page.getByText("Connected", { exact: true }).waitFor();
  return page;
}

/** For a moment after the cards have moved, the page takes no answers. */
async function untilSteady(page: Page): Promise<void> {
  await page.locator(".cards:not([data-moving])").waitFor({ state: "attached" });
}

async function go(page: Page, view: string): Promise<void> {
  await page.evaluate(`location.hash = "#/${view}"`);
}

describe("hawser serve --inspect with a fleet", { timeout: 300_000 }, () => {
  it("shows the run of a request, answers its question, and shows its end", async () => {
    const { url, inspect } = await serve();
    const page = await openPage(inspect);
    const asked = fetch(`${url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify({
        ...{ model: "agent:clerk", max_tokens: 100 },
        messages: [{ role: "user", content: `Note the bowline.\n${writer("bowline")}` }],
      }),
    });
    await go(page, "live");
    const row = page.locator(".session-row").filter({ hasText: "Note the bowline." });
    await row.getByText("waiting").waitFor();
    expect(await page.getByText("No sessions yet.").count()).toBe(0);
    await row.click();
    await page.locator("[data-numbers]").filter({ hasText: "parked" }).waitFor();
    await checkView(page);

    await page.getByRole("link", { name: "Open the inbox" }).click();
    const card = page.getByRole("article").filter({ hasText: "echo bowline" });
    await card.waitFor();
    await untilSteady(page);
    await checkView(page);
    await card.getByRole("button", { name: "Allow once" }).click();
    const response = await asked;
    expect(await response.json()).toMatchObject({
      content: [{ type: "text", text: "The notes say: bowline" }],
    });
    await card.waitFor({ state: "detached" });
    await page.getByText(/allowed by local/).waitFor();

    await go(page, "live");
    await row.getByText("done").waitFor();
    await row.click();
    const detail = page.locator(".split-main");
    await detail.locator(".markdown").filter({ hasText: "The notes say: bowline" }).waitFor();
    for (const text of ["assistant: calls Bash", "tool result: bowline", "ended"]) {
      await detail.locator("[data-numbers]").filter({ hasText: text }).last().waitFor();
    }
    await go(page, "state");
    await page.getByText("north-quay").waitFor();
    await page
      .getByRole("row")
      .filter({ hasText: /^done1$/ })
      .waitFor();
    await checkView(page);
    await page.context().close();
  });

  it("shows the key of a tenant only the runs and questions of that tenant", async () => {
    const tenants = { boss: { admin: true }, alice: {}, bob: {} };
    writeFileSync(join(home.cwd, "hawser.config.json"), JSON.stringify({ tenants }));
    const keys: Record<string, string> = {};
    for (const name of Object.keys(tenants)) {
      keys[name] = (await home.run("serve", "keys", "add", name)).stdout.trim();
    }
    const { url, inspect } = await serve({ tenants });
    for (const name of ["alice", "bob"]) {
      const response = await fetch(`${url}/hawser/v1/runs`, {
        method: "POST",
        headers: { authorization: `Bearer ${keys[name]}`, "content-type": "application/json" },
        body: JSON.stringify({ agent: "clerk", prompt: `Note ${name}.\n${writer(name)}` }),
      });
      expect(response.status).toBe(201);
    }
    const boss = await openPage(`${inspect}#token=${keys["boss"]}`);
    await go(boss, "inbox");
    await boss.getByRole("article").filter({ hasText: "echo alice" }).waitFor();
    await boss.getByRole("article").filter({ hasText: "echo bob" }).waitFor();
    const alice = await openPage(`${inspect}#token=${keys["alice"]}`);
    await go(alice, "inbox");
    const card = alice.getByRole("article").filter({ hasText: "echo alice" });
    await card.waitFor();
    expect(await alice.getByRole("article").count()).toBe(1);
    await untilSteady(alice);
    await card.getByRole("button", { name: "Allow once" }).click();
    // The page of another person learns who has answered.
    await boss.getByText(/allowed by alice/).waitFor();
    await go(alice, "live");
    const rows = alice.locator(".session-row");
    await rows.filter({ hasText: "Note alice." }).getByText("done").waitFor();
    expect(await rows.filter({ hasText: "Note bob." }).count()).toBe(0);
    await go(alice, "state");
    await alice.getByText("are shown to admins").waitFor();
    const other = boss.getByRole("article").filter({ hasText: "echo bob" });
    await untilSteady(boss);
    await other.getByRole("button", { name: "Allow once" }).click();
    await boss.getByText(/allowed by boss/).waitFor();
    await go(boss, "live");
    const bobs = boss.locator(".session-row").filter({ hasText: "Note bob." });
    await bobs.getByText("done").waitFor();
    await go(boss, "state");
    await boss.getByText("north-quay").waitFor();
    await boss.getByText("Processes by state").waitFor();
    await alice.context().close();
    await boss.context().close();
  });
});
