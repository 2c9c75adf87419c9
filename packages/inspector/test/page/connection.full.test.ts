import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { ask, card } from "./support/asking.js";
import { pageWorld } from "./support/page-world.js";
import { writeTranscript } from "./support/write-transcript.js";

const world = pageWorld();

/** An empty tab of a browser of its own. */
async function tab(): Promise<Page> {
  const page = await world.page();
  await page.goto("about:blank");
  return page;
}

describe("the token", () => {
  it("is taken from the address of an open tab, and leaves the address", async () => {
    const page = await tab();
    const { origin, hash } = new URL(world.url);
    await page.goto(`${origin}/#token=wrong`);
    await page.getByText("This page needs a token").waitFor();
    // A person pastes the right address into the same tab: only the fragment changes.
    await page.evaluate((text) => {
      location.hash = text;
    }, hash);
    await page.getByText("Connected", { exact: true }).waitFor();
    expect(page.url()).not.toContain("token");
    // A wrong one leaves the address as well. The server does not know it, so that the page stays as it is.
    await page.evaluate(() => {
      location.hash = "#token=wrong-again";
    });
    await page.locator(".notice-bad").waitFor();
    expect(page.url()).not.toContain("token");
    await page.getByText("Connected", { exact: true }).waitFor();
    await page.context().close();
  });
});

describe("a page without a server", () => {
  it("waits longer and longer between its attempts, also if the stream opens and ends at once", async () => {
    const page = await tab();
    const attempts: number[] = [];
    await page.route("**/watch*", async (route) => {
      attempts.push(performance.now());
      // Every second attempt gets a stream that ends at once.
      if (attempts.length % 2 === 0) await route.abort();
      else await route.fulfill({ contentType: "text/event-stream", body: "retry: 1000\n\n" });
    });
    await page.goto(world.url);
    await expect.poll(() => attempts.length).toBeGreaterThanOrEqual(6);
    const gaps = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
    // 0.2 s, then each twice as long. The times of a busy machine come on top, so that only the least is certain.
    for (const [index, gap] of gaps.slice(0, 5).entries()) {
      expect(gap).toBeGreaterThan(200 * 2 ** index * 0.9);
    }
    await page.getByText(/Lost, again in \d+ s|Connection lost/).waitFor();
    // The computer is online again: the page does not wait for the rest of the pause.
    await page.unroute("**/watch*");
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await page.getByText("Connected", { exact: true }).waitFor();
    await page.context().close();
  });

  it("says that an answer did not arrive, and takes it again later", async () => {
    const page = await tab();
    await page.goto(world.url);
    const asked = ask(world, "Bash", { command: "make unreachable" });
    await card(page, "unreachable").waitFor();
    await page.route("**/approvals/*", (route) => route.abort());
    await card(page, "unreachable").getByRole("button", { name: "Allow once" }).click();
    await page.getByText("The server cannot be reached.").waitFor();
    await page.unroute("**/approvals/*");
    await card(page, "unreachable").getByRole("button", { name: "Allow once" }).click();
    expect(await asked).toMatchObject({ behavior: "allow" });
    await page.context().close();
  });
});

describe("questions after a new stream", () => {
  it("go if the source does not list them any more, and stay if it does", async () => {
    const page = await tab();
    const source = { id: "told", name: "told", kind: "process" };
    const question = (id: string) => ({
      type: "approval",
      source: "told",
      change: {
        type: "asked",
        approval: {
          id,
          kind: "tool",
          tool: "Bash",
          summary: `Bash make ${id}`,
          input: { command: `make ${id}` },
          askedAt: new Date().toISOString(),
        },
      },
    });
    const begin = { type: "approval", source: "told", change: { type: "begin" } };
    const sources = { type: "sources", sources: [source], canControl: true, hawser: "0" };
    let streams = 0;
    await page.route("**/watch*", async (route) => {
      streams += 1;
      // The first stream tells both questions. All others are silent about them.
      const told = streams === 1 ? [question("kept"), question("ended")] : [];
      const messages = [sources, begin, ...told].map((each) => `data: ${JSON.stringify(each)}\n\n`);
      await route.fulfill({ contentType: "text/event-stream", body: messages.join("") });
    });
    let asked = 0;
    let isListed = false;
    await page.route("**/sources/told/hawser/v1/approvals", async (route) => {
      asked += 1;
      const approvals = [{ id: "kept" }];
      if (isListed) await route.fulfill({ json: { approvals } });
      else await route.abort();
    });
    await page.goto(world.url);
    await card(page, "make ended").getByRole("button", { name: "Deny" }).click();
    // As long as the source cannot be asked, nothing goes.
    await expect.poll(() => asked).toBeGreaterThanOrEqual(2);
    expect(await page.getByRole("article").count()).toBe(2);
    isListed = true;
    await card(page, "make ended").waitFor({ state: "detached" });
    expect(await card(page, "make kept").count()).toBe(1);
    await page.getByText("The question that you were answering has ended.").waitFor();
    await page.context().close();
  });
});

describe("the button that copies", () => {
  it("says Copied only if the browser did, and otherwise shows the text", async () => {
    const id = "5d0c7a52-1b7e-4a8e-9a43-0c4b6d1f2e22";
    writeTranscript(world.place.configDir, id, [{ type: "user", content: "Copy me." }]);
    const page = await world.page("transcripts");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator(".session-row").filter({ hasText: "Copy me." }).click();
    const button = page.getByRole("button", { name: "Copy the command to resume" });
    await button.click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const read = () => page.evaluate(() => navigator.clipboard.readText());
    expect(await read()).toBe(`claude --resume ${id}`);
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"));
    });
    await button.click();
    const field = page.getByLabel("The browser did not copy it. Copy this:");
    expect(await field.inputValue()).toBe(`claude --resume ${id}`);
    expect(await page.getByRole("button", { name: "Copied" }).count()).toBe(0);
    // Pages without TLS have no clipboard at all.
    await page.reload();
    await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await button.click();
    await field.waitFor();
    // An id of the address that is none would be more than an id in a shell.
    const { hash } = new URL(page.url());
    const source = hash.split("/")[2] ?? "";
    await world.go(page, `transcripts/${source}/${encodeURIComponent("x; rm -rf ~")}`);
    await page.getByRole("button", { name: "Export JSON" }).waitFor();
    expect(await button.count()).toBe(0);
    expect(world.complaints).toEqual([]);
    await page.context().close();
  });
});
