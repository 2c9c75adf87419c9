import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "hawser";
import { reply, text, toolUse } from "hawser/testing";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { pageWorld } from "./support/page-world.js";

const world = pageWorld();
let page: Page;
let session: Session;

beforeAll(async () => {
  [page, session] = await Promise.all([world.page("live"), world.open()]);
  await page.locator(".session-row").click();
  await page.getByRole("button", { name: "Send" }).waitFor();
});

afterEach(() => {
  expect(world.complaints).toEqual([]);
});

function file(name: string): string {
  return join(world.place.cwd, name);
}

describe("the live view", () => {
  it("sends a prompt, shows the text as it streams, and the turn with its cost when it has ended", async () => {
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    world.script(
      reply([
        text(`${words} `),
        toolUse("Bash", { command: `mkdir ${file("made")}`, description: "x" }),
      ]),
      async () => {
        await held;
        return "The end.";
      },
    );
    await page.getByLabel("Prompt").fill("Tell me.");
    await page.keyboard.press("Control+Enter");
    await page.locator(".streamed").filter({ hasText: "word59" }).waitFor();
    await answerAll("allow");
    release();
    const ended = page.locator(".turn-ended").first();
    await ended.getByText("The end.").waitFor();
    expect(await ended.locator(".facts").textContent()).toMatch(/\$0\.\d+/);
    expect(await page.locator(".turn:not(.turn-ended)").count()).toBe(0);
  });

  it("shows running tools with elapsed time, and stop ends the turn and the processes of its tool", async () => {
    const pidFile = file("sleeper.pid");
    const command = `echo $$ > ${pidFile}; sleep 300 & wait`;
    world.script(toolUse("Bash", { command, description: "sleep" }));
    const turn = session.send("Sleep.").result.catch((error: unknown) => error);
    await answerAll("allow");
    const row = page.locator(".tool-row").filter({ hasText: "sleeper.pid" });
    await row.getByText("running").waitFor();
    await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "").toBe(true);
    await row
      .locator(".time")
      .filter({ hasText: /^[1-9]/ })
      .waitFor();
    const pid = Number(readFileSync(pidFile, "utf8"));
    expect(isAlive(pid)).toBe(true);

    await page.getByRole("button", { name: "Stop the turn" }).click();
    await turn;
    await page.locator(".turn:not(.turn-ended)").waitFor({ state: "detached" });
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(await page.locator(".turn-ended .badge").first().textContent()).not.toBe("ok");
  });

  it("shows the calls of sub-agents below the call that started them", async () => {
    const input = {
      description: "look",
      prompt: "sub-prompt",
      subagent_type: "general-purpose",
      run_in_background: false,
    };
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const inner = `mkdir ${file("sub-result")}`;
    const answers = async (call: { readonly body: unknown }) => {
      const all = JSON.stringify(call.body);
      const isSub = !all.includes("Delegate it.");
      if (isSub && all.includes("tool_result")) {
        await held;
        return "Sub done.";
      }
      if (isSub) return toolUse("Bash", { command: inner, description: "inner" });
      return all.includes("Sub done.") ? "All done." : toolUse("Agent", input);
    };
    world.script(...Array.from({ length: 8 }, () => answers));
    const turn = session.send("Delegate it.").text();
    await answerAll("allow");
    const row = page.locator(".tool-tree .tool-tree .tool-row").filter({ hasText: "sub-result" });
    await row.getByText("ok").waitFor();
    const outer = page
      .locator(".tool-tree > li > .tool-row")
      .filter({ hasText: "general-purpose" });
    await outer.getByText("running").waitFor();
    release();
    await turn;
    world.script();
  });

  it("closes the session after a second press, and shows that it has ended", async () => {
    await page.getByRole("button", { name: "Close the session" }).click();
    await page.getByRole("button", { name: "Press again to close" }).click();
    await page.locator(".detail-head .badge").filter({ hasText: "ended" }).waitFor();
    expect(await page.getByRole("button", { name: "Stop the turn" }).count()).toBe(0);
  });
});

/** Answers the open question, or the next one. */
async function answerAll(behavior: "allow"): Promise<void> {
  for await (const change of world.approvals) {
    if (change.type !== "asked") continue;
    await world.approvals.answer(change.approval.id, { behavior });
    return;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
