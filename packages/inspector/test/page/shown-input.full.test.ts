import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ask, card, denyAll, untilSteady } from "./support/asking.js";
import { pageWorld } from "./support/page-world.js";

const world = pageWorld();
const folder = mkdtempSync(join(tmpdir(), "hawser-shown-"));
let page: Page;

beforeAll(async () => {
  page = await world.page();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

afterEach(async () => {
  await denyAll(world);
  await page.locator(".card").first().waitFor({ state: "detached" });
  expect(world.complaints).toEqual([]);
});

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** What a person reads on the card of the question. */
async function shown(text: string): Promise<string> {
  await card(page, text).getByRole("button", { name: "Allow once" }).waitFor();
  return (await card(page, text).locator(".card-body").textContent()) ?? "";
}

const RULES = [{ toolName: "WebFetch" }, { toolName: "Bash", ruleContent: "make *" }];

describe("a question", () => {
  it("shows each field of an edit that its diff does not show", async () => {
    const path = file("all.txt", "a\na\n");
    const input = { file_path: path, old_string: "a", new_string: "b", replace_all: true };
    const asked = ask(world, "Edit", { ...input, later_field: "of another version" });
    const text = await shown("all.txt");
    expect(text).toMatch(/replace_all\s*true/);
    expect(text).toMatch(/later_field\s*of another version/);
    // Not shown a second time.
    expect(text).not.toContain("old_string");
    await denyAll(world);
    await asked;
  });

  it("shows which cell of a notebook is deleted or inserted", async () => {
    const cells = [{ id: "c1", cell_type: "code", source: "print(1)" }];
    const path = file("note.ipynb", JSON.stringify({ cells }));
    const input = { notebook_path: path, cell_id: "c1", new_source: "", edit_mode: "delete" };
    const asked = ask(world, "NotebookEdit", { ...input, cell_type: "code" });
    const text = await shown("note.ipynb");
    expect(text).toMatch(/edit_mode\s*delete/);
    expect(text).toMatch(/cell_id\s*c1/);
    expect(text).toMatch(/cell_type\s*code/);
    expect(text).toContain("print(1)");
    await denyAll(world);
    await asked;
  });

  it("shows both paths of a notebook edit that names another file as well", async () => {
    const decoy = file("decoy.txt", "");
    const path = file("real.ipynb", "{}");
    const asked = ask(world, "NotebookEdit", {
      file_path: decoy,
      notebook_path: path,
      new_source: "x",
    });
    const text = await shown("NotebookEdit");
    expect(text).toContain(path);
    expect(text).toContain(decoy);
    await denyAll(world);
    await asked;
  });

  it("shows content that is no text", async () => {
    const asked = ask(world, "Write", {
      file_path: "/nowhere/odd.txt",
      content: { odd: ["list"] },
    });
    expect(await shown("odd.txt")).toContain('"odd"');
    await denyAll(world);
    await asked;
  });

  it("shows the whole input of a diff that is too long, and says so", async () => {
    const lines = Array.from({ length: 2500 }, (_, index) => `line ${index}`);
    const content = [...lines, "rm -rf the-last-line"].join("\n");
    const asked = ask(world, "Write", { file_path: "/nowhere/long.txt", content });
    const text = await shown("long.txt");
    expect(text).toMatch(/The diff is too long: \d+ of its lines are left out/);
    expect(text).toContain("rm -rf the-last-line");
    await denyAll(world);
    await asked;
  });

  it("shows what a plan allows beside its text", async () => {
    const allowedPrompts = [{ tool: "Bash", prompt: "run anything" }];
    const plan = "# Plan\n\n1. Look.\n\n[hidden]: https://example.invalid/ 'not in the Markdown'";
    const asked = ask(world, "ExitPlanMode", { plan, allowedPrompts });
    const body = page.locator(".card-body");
    await body.getByText('"prompt": "run anything"').waitFor();
    // What the Markdown does not draw is in the plain text.
    await body.getByText("The plan as plain text").click();
    await body.getByText("not in the Markdown").waitFor();
    await denyAll(world);
    await asked;
  });

  it("shows invisible characters in commands, paths, fields and in the text that is edited", async () => {
    const input = {
      command: "ls\u200b; \u202etxt.exe",
      description: "see\u2066 it",
      note: "a\u00ad",
    };
    const asked = ask(world, "Bash", input, { blockedPath: "/tmp/\u202ecod.exe" });
    const text = await shown("txt.exe");
    for (const sign of ["ls<U+200B>; <U+202E>txt.exe", "see<U+2066> it", "a<U+00AD>"]) {
      expect(text).toContain(sign);
    }
    expect(text).toContain("/tmp/<U+202E>cod.exe");
    await untilSteady(page);
    await card(page, "txt.exe").getByRole("button", { name: "Edit" }).click();
    const form = page.locator("form");
    await form.getByText("ls<U+200B>; <U+202E>txt.exe").waitFor();
    await form.getByRole("textbox").fill("ls");
    await form.getByText("cannot be seen").waitFor({ state: "detached" });
    await denyAll(world);
    await asked;
  });

  it.each([
    {
      suggestions: [
        { type: "setMode", mode: "acceptEdits", destination: "session" },
        { type: "addDirectories", directories: ["/srv/harbour"], destination: "session" },
      ],
      texts: ["all edits of files", "files in /srv/harbour", "Bash with command make granted"],
    },
    {
      suggestions: [
        { type: "addRules", behavior: "allow", destination: "session", rules: RULES },
        { type: "setMode", mode: "acceptEdits", destination: "session" },
      ],
      texts: ["every call of WebFetch", "Bash(make *)"],
    },
  ])("says what the session may do then: $texts", async ({ suggestions, texts }) => {
    const context = { suggestions, sessionId: "00000000-0000-4000-8000-000000000007" };
    const asked = ask(world, "Bash", { command: "make granted" }, context);
    const grant = page.locator(".grant");
    await grant.waitFor();
    for (const text of texts) expect(await grant.textContent()).toContain(text);
    await denyAll(world);
    await asked;
  });

  it("cannot be allowed if the page fails to show it, but can be denied; other questions stay", async () => {
    // The stream says something that no server of ours says.
    await page.route("**/watch*", async (route) => {
      const response = await fetch(route.request().url(), {
        headers: route.request().headers(),
        signal: AbortSignal.timeout(3000),
      }).catch(() => undefined);
      const reader = response?.body?.getReader();
      let body = "";
      for (;;) {
        const read = await reader?.read().catch(() => undefined);
        if (read === undefined || read.done) break;
        body += new TextDecoder().decode(read.value);
      }
      await route.fulfill({
        contentType: "text/event-stream",
        body: body
          .replaceAll('"command":"make broken"', '"command":"make broken","x":null')
          .replace(/"tool":"Bash","toolUseId"/, '"tool":"Bash","diff":{"lines":7},"toolUseId"'),
      });
    });
    const asked = [
      ask(world, "Bash", { command: "make broken" }),
      ask(world, "Bash", { command: "make whole" }),
    ];
    await page.reload();
    await page.getByText("The page cannot show this question").waitFor();
    const broken = card(page, "make broken");
    expect(await broken.getByRole("button", { name: "Allow once" }).count()).toBe(0);
    await card(page, "make whole").getByRole("button", { name: "Allow once" }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.waitForTimeout(600);
    await page.keyboard.press("a");
    await page.keyboard.press("e");
    expect(await page.locator("form").count()).toBe(0);
    await page.keyboard.press("d");
    await page.getByLabel(/Reason for the model/).waitFor();
    await page.keyboard.press("Enter");
    expect(await asked[0]).toMatchObject({ behavior: "deny" });
    await denyAll(world);
    await Promise.all(asked);
    await page.unroute("**/watch*");
    await page.reload();
    await page.getByText("Connected", { exact: true }).waitFor();
  });
});
