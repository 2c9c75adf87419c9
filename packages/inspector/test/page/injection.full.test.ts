import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHANNELS, HawserError } from "hawser";
import { reply, text, thinking, toolUse } from "hawser/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PAYLOADS } from "./support/injection-payloads.js";
import { pageWorld } from "./support/page-world.js";
import { writeTranscript } from "./support/write-transcript.js";

const ALL = PAYLOADS.join("\n\n");
const ID = "00000000-0000-4000-8000-000000000001";
const world = pageWorld({ name: PAYLOADS[1] });
const folder = mkdtempSync(join(tmpdir(), "hawser-injection-"));
let page: Page;

beforeAll(async () => {
  page = await world.page();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What must not be on the page, whatever a text says. */
async function expectHarmless(): Promise<void> {
  const found = await page.evaluate(() => {
    const root = document.getElementById("root") as HTMLElement;
    const elements = [...root.querySelectorAll("*")];
    const forbidden = root.querySelectorAll(
      "script, style, iframe, object, embed, img, video, audio, source, link, base, meta, math, form[action], [style*=url], [srcdoc]",
    );
    return {
      pwned: "pwned" in window,
      forbidden: [...forbidden].map(({ outerHTML }) => outerHTML.slice(0, 200)),
      handlers: elements
        .flatMap((element) => element.getAttributeNames())
        .filter((name) => name.startsWith("on")),
      addresses: [...root.querySelectorAll("a")]
        .map((link) => link.getAttribute("href") ?? "")
        .filter((address) => address !== "" && !/^(#\/|https?:|mailto:)/.test(address)),
      roots: document.querySelectorAll("#root, #main").length,
    };
  });
  expect(found).toEqual({ pwned: false, forbidden: [], handlers: [], addresses: [], roots: 2 });
  expect(world.complaints).toEqual([]);
}

/** Opens everything that can be opened. */
async function openAll(): Promise<void> {
  await page.evaluate(() => {
    const closed =
      "main details:not([open]) > summary, main [aria-expanded=false], main button.link";
    for (const part of document.querySelectorAll<HTMLElement>(closed)) part.click();
  });
}

describe("texts of models, tools and files", () => {
  it("counts at least 40 payloads", () => {
    expect(PAYLOADS.length).toBeGreaterThanOrEqual(40);
  });

  it("run nothing as questions: commands, diffs, plans, questions of the model, forms of servers", async () => {
    const signal = new AbortController();
    const context = (toolUseID: string) => ({
      toolUseID,
      signal: signal.signal,
      sessionId: ID,
      decisionReason: ALL,
      title: ALL,
      description: ALL,
      blockedPath: ALL,
      agentID: PAYLOADS[2],
      requestId: toolUseID,
    });
    const { canUseTool, onElicitation } = world.approvals;
    const ask = async (tool: string, input: Record<string, unknown>, id: string) =>
      canUseTool(tool, input, context(id) as never);
    const questions = PAYLOADS.slice(0, 4).map((payload) => ({
      question: payload + ALL,
      header: payload,
      multiSelect: false,
      options: PAYLOADS.map((label) => ({ label, description: label })),
    }));
    const asked = [
      ask("Bash", { command: ALL, description: ALL, other: ALL }, "1"),
      ask(
        "Write",
        { file_path: join(folder, `${PAYLOADS[13]?.replaceAll("/", "")}`), content: ALL },
        "2",
      ),
      ask(`mcp__x__${PAYLOADS[0]}`, { [PAYLOADS[1] ?? ""]: ALL }, "3"),
      ask("ExitPlanMode", { plan: ALL }, "4"),
      ask("AskUserQuestion", { questions }, "5"),
      ...["form", "url"].map((mode) =>
        onElicitation(
          {
            serverName: PAYLOADS[1],
            message: ALL,
            mode,
            url: "javascript:window.pwned=1",
            requestedSchema: {
              type: "object",
              properties: {
                [PAYLOADS[2] ?? ""]: { type: "string", title: PAYLOADS[1], description: ALL },
                choice: { type: "string", enum: PAYLOADS },
              },
            },
          } as never,
          { signal: signal.signal, sessionId: ID } as never,
        ),
      ),
    ];
    await expect.poll(() => page.getByRole("article").count()).toBe(asked.length);
    expect(await page.getByText(PAYLOADS[0] ?? "").count()).toBeGreaterThan(0);
    await openAll();
    await expectHarmless();
    // The forms show the texts in fields.
    await page.getByRole("article").first().getByRole("button", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Edit as JSON" }).click();
    await expectHarmless();
    for (const { id, kind } of world.approvals.pending()) {
      const decision =
        kind === "elicitation" ? { behavior: "cancel" } : { behavior: "deny", message: ALL };
      await world.approvals.answer(id, decision as never, { by: ALL.slice(0, 150) });
    }
    await Promise.all(asked);
    await expect.poll(() => page.locator(".answered").count()).toBe(asked.length);
    await expectHarmless();
  });

  it("run nothing in live sessions and failures: prompts, streamed text, tools, errors, stderr", async () => {
    publishSession();
    await world.go(page, "live");
    await page.locator(".session-row").first().click();
    await page.locator(".streamed").waitFor();
    await openAll();
    await expectHarmless();
    publishFailure();
    await page.getByText("Earlier turns").waitFor();
    await expectHarmless();
    await world.go(page, "failures");
    await page.getByRole("button", { name: "Show the trace" }).first().waitFor();
    await openAll();
    await page.locator(".trace .row").first().waitFor();
    await expectHarmless();
    await page.locator(".menu summary").click();
    await expectHarmless();
    await page.locator(".menu summary").click();
    await world.go(page, "state");
    await page.getByText("This program has no pool.").waitFor();
    await expectHarmless();
  });

  it("run nothing in transcripts: summaries, messages, tool calls, results, search results", async () => {
    const lines = PAYLOADS.flatMap((payload) => [
      { type: "user" as const, content: payload },
      {
        type: "assistant" as const,
        content: [
          { type: "text", text: payload },
          { type: "thinking", thinking: payload },
          { type: "tool_use", id: `t${payload}`, name: payload, input: { command: payload } },
          { type: payload, text: payload },
        ],
      },
      {
        type: "user" as const,
        content: [
          { type: "tool_result", tool_use_id: `t${payload}`, content: payload, is_error: true },
        ],
      },
    ]);
    const facts = { cwd: PAYLOADS[1], gitBranch: PAYLOADS[2] };
    writeTranscript(world.place.configDir, ID, lines, facts);
    await world.go(page, "transcripts");
    await page.getByLabel("Search all transcripts").fill("onerror");
    await page.locator(".excerpt, .session-row").first().waitFor();
    await expectHarmless();
    await page.locator(".session-row").first().click();
    const list = page.getByRole("region", { name: "Transcript" });
    await list.waitFor();
    // Scrolls through all of it, because only rows in sight are drawn.
    for (let isAtEnd = false; !isAtEnd; ) {
      await expectHarmless();
      isAtEnd = await list.evaluate(async (box) => {
        box.scrollTop += box.clientHeight;
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        return box.scrollTop + box.clientHeight >= box.scrollHeight - 2;
      });
    }
    await expectHarmless();
  });

  it("run nothing in a replayed file", async () => {
    const file = join(folder, "<img src=x onerror=window.pwned=1>.jsonl");
    const entries = PAYLOADS.flatMap((payload, index) => [
      {
        take: 1,
        ms: index * 10,
        kind: "out",
        json: { type: payload, subtype: payload, result: payload },
      },
      { take: 1, ms: index * 10 + 5, kind: "err", text: payload },
    ]);
    const start = { take: 1, ms: 0, kind: "start", argv: PAYLOADS, env: PAYLOADS };
    const header = { cassette: 1, cli: ALL, by: ALL };
    writeFileSync(file, [header, start, ...entries].map((each) => JSON.stringify(each)).join("\n"));
    await world.go(page, "replay");
    await page.getByLabel("Open a cassette or a transcript").setInputFiles(file);
    await page.locator(".moment").first().waitFor();
    await openAll();
    await expectHarmless();
  });

  it("run nothing when the real CLI passes them on from the model", async () => {
    await world.go(page, "inbox");
    world.script(
      reply([
        thinking(ALL),
        text(ALL),
        toolUse("Bash", { command: `mkdir made; cat <<'X'\n${ALL}\nX`, description: ALL }),
      ]),
      reply([text(ALL)]),
    );
    const session = await world.open();
    const turn = session.send(ALL).text();
    await page.getByRole("article").waitFor();
    await expectHarmless();
    await page.getByRole("article").getByRole("button", { name: "Allow once" }).click();
    await turn;
    await world.go(page, "live");
    await page.locator(".session-row").filter({ hasText: "ready" }).last().click();
    await page.locator(".turn-ended .markdown").waitFor();
    await openAll();
    await expectHarmless();
  });
});

const IDS = { session: 900_001, sessionId: ID, call: undefined, turn: "turn-1" };

function publishSession(): void {
  const at = Date.now();
  CHANNELS.sessionStart.publish({
    ...IDS,
    at,
    purpose: "session",
    model: PAYLOADS[1],
    agent: PAYLOADS[2],
    systemPrompt: ALL,
    output: "text",
  });
  CHANNELS.sessionReady.publish({ ...IDS, at, pid: 1, cliVersion: PAYLOADS[3], ms: 1 });
  CHANNELS.turnStart.publish({ ...IDS, at, prompt: ALL });
  const tools = [...PAYLOADS.entries()];
  for (const [index, tool] of tools) {
    CHANNELS.toolStart.publish({
      ...IDS,
      at,
      round: 1,
      toolUseId: `tool-${index}`,
      tool,
      parentToolUseId: index === 0 ? null : "tool-0",
      subagentType: tool,
      input: { command: tool, description: tool },
    });
  }
  const event = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: ALL } };
  const message = {
    type: "stream_event",
    event,
    parent_tool_use_id: null,
    session_id: ID,
    uuid: ID,
  };
  CHANNELS.sessionMessages.publish({ ...IDS, at, messages: [message] });
}

function publishFailure(): void {
  const at = Date.now();
  const error = new HawserError("process_exited", ALL, { hint: ALL, stderrTail: ALL });
  CHANNELS.turnEnd.publish({
    ...IDS,
    at,
    outcome: PAYLOADS[4] ?? "",
    ms: 1,
    rounds: 1,
    costUsd: undefined,
    usage: undefined,
    merged: [],
    result: { result: ALL },
    error,
  });
}
