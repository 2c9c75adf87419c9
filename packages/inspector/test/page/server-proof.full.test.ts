import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CommandWorld, kill } from "../server/command-world.helper.js";
import { type StartedBrowser, startBrowser } from "./support/browser.js";

const world = new CommandWorld();
let browser: StartedBrowser;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await world.close();
});

/** A program of another user that has taken a port. It keeps what it gets, and serves a page of its own. */
class Impostor {
  readonly requests: IncomingMessage[] = [];
  readonly #server: Server;

  constructor(answer: (url: URL) => unknown) {
    this.#server = createServer((request, response) => {
      this.requests.push(request);
      const body = answer(new URL(request.url ?? "", "http://localhost"));
      response.writeHead(200, {
        "content-type": typeof body === "string" ? "text/html" : "application/json",
      });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", resolve);
    });
  }

  async close(): Promise<void> {
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  /** Everything that a token could be in. */
  get heard(): string {
    return JSON.stringify(this.requests.map(({ url, rawHeaders }) => [url, rawHeaders]));
  }
}

async function openPage(url: string): Promise<Page> {
  const page = await (await browser.browser.newContext()).newPage();
  await page.goto(url);
  await page.locator(".connection-open").waitFor();
  return page;
}

const kept = (page: Page) => page.evaluate(() => JSON.stringify({ ...sessionStorage }));

describe("the page of hawser inspect", { timeout: 300_000 }, () => {
  it("sends no token to another server that has taken the port, says so, and goes on when its own is back", async () => {
    const server = await world.inspect("--port", "0");
    const { port, hash } = new URL(server.first.url);
    const token = hash.replace("#token=", "");
    const page = await openPage(server.first.url);
    await kill(server);
    const impostor = new Impostor(() => ({ proof: "0".repeat(64), sources: [] }));
    await impostor.listen(Number(port));
    await page.locator(".connection-unproven").waitFor();
    await page.getByText("the token was not sent").waitFor();
    // It asks again, and learns nothing either.
    const asked = impostor.requests.length;
    await expect.poll(() => impostor.requests.length, { timeout: 60_000 }).toBeGreaterThan(asked);
    // Neither what a person pastes into the address of the open page.
    await page.evaluate((fragment) => {
      location.hash = fragment;
    }, hash);
    await page.locator(".notice", { hasText: "the token was not sent" }).waitFor();
    expect(impostor.heard).not.toContain(token);
    expect(impostor.heard.toLowerCase()).not.toContain("authorization");
    expect(impostor.requests.every(({ url }) => url?.startsWith("/hello?"))).toBe(true);
    await impostor.close();
    const again = await world.inspect("--port", port);
    await page.locator(".connection-open").waitFor({ timeout: 60_000 });
    await kill(again);
  });

  it("leaves nothing of use to a page of another server that is loaded in its place", async () => {
    const server = await world.inspect("--port", "0");
    const { port, hash, origin } = new URL(server.first.url);
    const token = hash.replace("#token=", "");
    const page = await openPage(server.first.url);
    // The tab can be loaded again while the server runs.
    await page.reload();
    await page.locator(".connection-open").waitFor();
    expect(await kept(page)).not.toContain(token);
    await kill(server);
    const impostor = new Impostor(() => "<!doctype html><title>Not yours</title>");
    await impostor.listen(Number(port));
    await page.reload();
    expect(await page.title()).toBe("Not yours");
    const found = await kept(page);
    expect(found).not.toContain(token);
    await impostor.close();
    const again = await world.inspect("--port", port);
    expect(again.first.url).toContain(token);
    const [stolen = ""] = Object.values(JSON.parse(found) as Record<string, string>);
    const headers = { authorization: `Bearer ${stolen}` };
    expect((await fetch(`${origin}/sources`, { headers })).status).toBe(401);
    // The tab asks for the address that the new server has printed.
    await page.goto(origin);
    await page.getByText("This page needs a token").waitFor();
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Open" }).click();
    await page.locator(".connection-open").waitFor();
    await kill(again);
  });
});
