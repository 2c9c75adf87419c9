import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findOrphans } from "hawser";
import { reply, toolUse } from "hawser/testing";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { startBrowser } from "../../../inspector/test/page/support/browser.js";
import { aiWorld } from "../support/ai-world.js";
import { runExample } from "../support/running-example.js";

const world = aiWorld();

describe("examples/ai-sdk-chat", () => {
  it("streams a message to useChat() in a browser; a tool that is denied does not run, and one that is allowed runs once", async () => {
    const { browser, close } = await startBrowser();
    onTestFinished(close);
    const made = join(world.place.cwd, "made.txt");
    const write = toolUse("Bash", { command: `echo made >> ${made}`, description: "makes" });
    world.script(
      reply("Knots hold ropes together.", { chunks: 5, chunkDelayMs: 100 }),
      reply(["I make it.", write]),
      "Then I do not.",
      write,
      "Made.",
    );
    const server = runExample(world, "ai-sdk-chat/server.js", [world.place.cwd], { PORT: "0" });
    const [line] = (await once(server.child.stdout, "data")) as [Buffer];
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => void problems.push(String(error)));
    await page.goto(String(line).trim());

    await say(page, "What are knots?");
    // The text is seen while it grows.
    const text = 'document.querySelector(".assistant p")?.textContent';
    await page.waitForFunction(`${text} && !${text}.endsWith("together.")`);
    await page.getByText("Knots hold ropes together.").waitFor();

    await say(page, "Make it.");
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByText("Then I do not.").waitFor();
    expect(await states(page)).toEqual(["output-denied"]);
    expect(existsSync(made)).toBe(false);
    expect(world.calls[2]?.toolResults).toMatchObject([
      { isError: true, text: expect.stringContaining("The user said no.") },
    ]);

    await say(page, "Do make it.");
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("Made.", { exact: true }).waitFor();
    expect(await states(page)).toEqual(["output-denied", "output-available"]);
    expect(readFileSync(made, "utf8")).toBe("made\n");
    expect(await page.locator(".error").count()).toBe(0);
    expect(problems).toEqual([]);
    expect(world.calls).toHaveLength(5);

    server.child.kill("SIGTERM");
    const { code, stderr } = await server.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { processes } = await findOrphans({ hostPid: server.child.pid ?? 0 });
    expect(processes).toEqual([]);
    // The browser has to be unpacked first.
  }, 120_000);

  it("goes on after a request that is no chat", async () => {
    const server = runExample(world, "ai-sdk-chat/server.js", [world.place.cwd], { PORT: "0" });
    const [line] = (await once(server.child.stdout, "data")) as [Buffer];
    const url = String(line).trim();
    await expect(fetch(url, { method: "POST", body: "no JSON" })).rejects.toThrow();
    expect(await (await fetch(url)).text()).toContain("<main>");
    server.child.kill("SIGTERM");
    expect((await server.ended).code).toBe(0);
  });
});

async function say(page: Page, text: string): Promise<void> {
  const input = page.locator("input:enabled");
  await input.fill(text);
  await input.press("Enter");
}

/** The states of the tools on the page, in their order. */
function states(page: Page): Promise<(string | null)[]> {
  return page
    .locator("fieldset")
    .evaluateAll((all) => all.map((each) => each.getAttribute("data-state")));
}
