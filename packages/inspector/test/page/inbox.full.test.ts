import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "hawser";
import { toolUse } from "hawser/testing";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { pageWorld } from "./support/page-world.js";

const world = pageWorld();
let page: Page;
let session: Session;

beforeAll(async () => {
  [page, session] = await Promise.all([world.page(), world.open()]);
});

afterEach(() => {
  expect(world.complaints).toEqual([]);
});

function file(name: string): string {
  return join(world.place.cwd, name);
}

/** The card of an open question. */
function card(text: string, on: Page = page) {
  return on.getByRole("article").filter({ hasText: text });
}

function bash(command: string) {
  return toolUse("Bash", { command, description: "a test" });
}

describe("the inbox", () => {
  it("edits and allows a call by keyboard only; the tool runs once with the edited input, and a second tab follows", async () => {
    const second = await world.secondTab(page);
    world.script(bash(`echo model >> ${file("edited.txt")}`), "Edited.");
    const turn = session.send("Run it.").text();
    await Promise.all([card("echo model").waitFor(), card("echo model", second).waitFor()]);
    expect(await page.title()).toBe("(1 question) Hawser");

    await page.bringToFront();
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: "Command" }).waitFor();
    await page.keyboard.press("Control+A");
    await page.keyboard.type(`echo person >> ${file("edited.txt")}`);
    await page.keyboard.press("Control+Enter");

    expect(await turn).toBe("Edited.");
    expect(readFileSync(file("edited.txt"), "utf8")).toBe("person\n");
    for (const each of [page, second]) {
      await card("echo model", each).waitFor({ state: "detached" });
      await each.getByText("edited and allowed by inspector").first().waitFor();
      expect(await each.title()).toBe("Hawser");
    }
    await second.close();
  });

  it("keeps what was edited as JSON when the text is edited again", async () => {
    const [before, after] = [file("before.txt"), file("after.txt")];
    world.script(toolUse("Write", { file_path: before, content: "one\n" }), "Written.");
    const turn = session.send("Write it.").text();
    await card("before.txt").waitFor();
    await page.keyboard.press("e");
    const form = card("before.txt").locator("form");
    await form.getByRole("button", { name: "Edit as JSON" }).click();
    const json = form.getByRole("textbox");
    await json.fill((await json.inputValue()).replace("before.txt", "after.txt"));
    await form.getByRole("button", { name: "Edit only the text" }).click();
    await form.getByRole("textbox").fill("two\n");
    await form.getByRole("button", { name: /Allow with this input/ }).click();
    expect(await turn).toBe("Written.");
    expect(existsSync(before)).toBe(false);
    expect(readFileSync(after, "utf8")).toBe("two\n");
  });

  it("shows a very long command as a whole before it can be allowed, with its invisible characters", async () => {
    const command = `echo ${"x".repeat(12_000)}; echo '\u202e' > ${file("long.txt")}`;
    world.script(bash(command), "Ran.");
    const turn = session.send("Run the long one.").text();
    const long = card("echo xxx");
    await long.getByRole("button", { name: /Allow once/ }).waitFor();
    // Nothing is cut, and the page says that a person has to scroll.
    expect(await long.locator("section.code pre").first().textContent()).toBe(
      command.replace("\u202e", "<U+202E>"),
    );
    await long.getByText("Scroll to read all of it.").waitFor();
    await pressUntilGone("a", "echo xxx");
    expect(await turn).toBe("Ran.");
    expect(existsSync(file("long.txt"))).toBe(true);
  });

  it("denies by keyboard with a reason, which reaches the model", async () => {
    let seen = "";
    world.script(bash(`touch ${file("denied")}`), (call) => {
      seen = JSON.stringify(call.body);
      return "I stop.";
    });
    const turn = session.send("Try it.").text();
    await card("touch").waitFor();
    await page.keyboard.press("d");
    await page.getByLabel(/Reason for the model/).waitFor();
    await page.keyboard.type("Use the staging server.");
    await page.keyboard.press("Enter");
    expect(await turn).toBe("I stop.");
    expect(seen).toContain("Use the staging server.");
    expect(existsSync(file("denied"))).toBe(false);
    await page.getByText("denied by inspector: Use the staging server.").first().waitFor();
  });

  it("shows the diff of an edit, and allows once with the key a", async () => {
    world.script(
      toolUse("Write", { file_path: file("note.txt"), content: "Hello\nworld\n" }),
      "Written.",
    );
    const turn = session.send("Write a note.").text();
    await card("note.txt").waitFor();
    const added = page.locator(".diff-added");
    expect(await added.allTextContents()).toEqual(["+Hello\n", "+world\n"]);
    await pressUntilGone("a", "note.txt");
    expect(await turn).toBe("Written.");
    expect(readFileSync(file("note.txt"), "utf8")).toBe("Hello\nworld\n");
  });

  it("allows for the session with the key s, and says before what that allows", async () => {
    const command = `touch ${file("again")}`;
    world.script(bash(command), bash(command), "Twice.");
    const turn = session.send("Do it twice.").text();
    await card("touch").waitFor();
    await page.getByText(/^For this session: /).waitFor();
    await pressUntilGone("s", "touch");
    // The second call is not asked about.
    expect(await turn).toBe("Twice.");
    await page.getByText("allowed for the session by inspector").first().waitFor();
  });

  it("answers a question of the model with one of its options, by keyboard", async () => {
    let seen = "";
    const question = {
      question: "Which knot?",
      header: "Knot",
      multiSelect: false,
      options: [
        { label: "Bowline", description: "a loop" },
        { label: "Sheet bend", description: "two ropes" },
      ],
    };
    world.script(toolUse("AskUserQuestion", { questions: [question] }), (call) => {
      seen = JSON.stringify(call.body);
      return "Good.";
    });
    const turn = session.send("Ask me.").text();
    await page.getByRole("radio", { name: /Sheet bend/ }).waitFor();
    await page.keyboard.press("a");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await turn).toBe("Good.");
    expect(seen).toContain("Sheet bend");
  });

  it("says that an answer came too late, and who was first", async () => {
    world.script(bash(`mkdir ${file("late")}`), "Done.");
    const turn = session.send("Be late.").text();
    await card("mkdir").waitFor();
    const [open] = world.approvals.pending();
    // The answer of the page leaves when another person has answered already.
    await page.route("**/approvals/*", async (route) => {
      await world.approvals.answer(open?.id ?? "", { behavior: "deny" }, { by: "ada" });
      await route.continue();
    });
    await card("mkdir").getByRole("button", { name: "Allow once" }).click();
    await page.getByText(/Too late, your answer did not count.*denied by ada/).waitFor();
    await page.unroute("**/approvals/*");
    await turn;
    await page.getByRole("button", { name: "Close the message" }).last().click();
  });

  it("moves between questions with j and k", async () => {
    const { signal } = new AbortController();
    const ask = async (command: string) =>
      world.approvals.canUseTool("Bash", { command }, { toolUseID: command, signal } as never);
    const answers = [ask("make first-card"), ask("make second-card")];
    await card("second-card").waitFor();
    const selected = page.locator(".card-selected h2");
    await expect.poll(() => selected.textContent()).toBe("make first-card");
    await page.keyboard.press("j");
    await expect.poll(() => selected.textContent()).toBe("make second-card");
    await page.keyboard.press("k");
    await expect.poll(() => selected.textContent()).toBe("make first-card");
    for (const name of ["first-card", "second-card"]) {
      await card(name).getByRole("button", { name: "Allow once" }).click();
    }
    expect(await Promise.all(answers)).toMatchObject([
      { behavior: "allow" },
      { behavior: "allow" },
    ]);
  });

  it("shows a question within 200 ms", async () => {
    await page.evaluate(noteCards);
    const delays: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      const name = `quick-${round}`;
      world.script(bash(`mkdir ${file(name)}`), "Done.");
      const asked = nextQuestion();
      const turn = session.send("Be quick.").text();
      const at = await asked;
      await card(name).getByRole("button", { name: "Allow once" }).click();
      delays.push((await page.evaluate(drawnAt, name)) - at);
      await turn;
    }
    delays.sort((a, b) => a - b);
    console.log(`a question was drawn after ${delays.join(", ")} ms`);
    // Half of all questions. The best one would say nothing: a page that asks once a second is sometimes quick, too.
    expect(delays[3]).toBeLessThan(200);
  });

  it("loads in under a second", async () => {
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const context = await page.context().browser()?.newContext();
      const fresh = await context?.newPage();
      await fresh?.addInitScript(noteConnection);
      await fresh?.goto(world.url);
      const found = await fresh?.waitForFunction(() => "connectedAt" in window);
      times.push(Number(await found?.evaluate(() => (window as never)["connectedAt"])));
      await context?.close();
    }
    console.log(`the page was connected after ${times.map(Math.round).join(", ")} ms`);
    // The page does the same work each time, and other tests can only add to it. So the best of five counts.
    expect(Math.min(...times)).toBeLessThan(1000);
  });

  it("shows a read-only token no buttons", async () => {
    world.script(bash(`mkdir ${file("look")}`), "Done.");
    const turn = session.send("Look.").text();
    await card("mkdir").waitFor();
    const context = await page.context().browser()?.newContext();
    const reader = await context?.newPage();
    if (context === undefined || reader === undefined) throw new Error("There is no browser.");
    const address = new URL(world.url);
    await reader.goto(`${address.origin}/#token=${world.inspector.readToken}`);
    await card("mkdir", reader).waitFor();
    await reader.getByText("You can only read.").waitFor();
    expect(await card("mkdir", reader).getByRole("button").count()).toBe(0);
    await context.close();
    await card("mkdir").getByRole("button", { name: "Allow once" }).click();
    await turn;
  });
});

/** For a moment after a card was selected by itself, the keys that allow do nothing. */
async function pressUntilGone(key: string, text: string): Promise<void> {
  await expect
    .poll(async () => {
      await page.keyboard.press(key);
      return card(text).count();
    })
    .toBe(0);
}

/** Runs in the page: notes when it is connected, in milliseconds since its load began. */
function noteConnection(): void {
  const look = () => {
    if (document.querySelector(".connection-open") === null) requestAnimationFrame(look);
    else Object.assign(window, { connectedAt: performance.now() });
  };
  look();
}

/** Runs in the page: notes when each card is drawn, by the clock of this machine. */
function noteCards(): void {
  const drawn = new Map<string, number>();
  Object.assign(window, { drawn });
  const note = () => {
    for (const { textContent } of document.querySelectorAll("article h2")) {
      const title = textContent ?? "";
      if (!drawn.has(title)) requestAnimationFrame(() => drawn.set(title, Date.now()));
    }
  };
  new MutationObserver(note).observe(document.body, { subtree: true, childList: true });
}

/** Runs in the page: when a card was drawn. */
function drawnAt(name: string): number {
  const { drawn } = window as unknown as { drawn: Map<string, number> };
  for (const [title, at] of drawn) if (title.includes(name)) return at;
  throw new Error("There was no such card.");
}

/** Resolves to the time at which the program asks, by the clock of this machine. */
async function nextQuestion(): Promise<number> {
  for await (const change of world.approvals) if (change.type === "asked") return Date.now();
  throw new Error("The approvals were closed.");
}
