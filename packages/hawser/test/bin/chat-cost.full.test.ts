import { expect, it } from "vitest";
import { ChatCost } from "../../src/bin/chat/chat-cost.js";
import { stoppedLine, summaryLine } from "../../src/bin/turn/summary-line.js";
import { hang, reply } from "../../src/testing/index.js";
import type { ResultMessage } from "../../src/wire/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { hawserIn, KEYS, type Pty } from "../support/pty.js";
import { world } from "../support/world.js";

/** What one request to the simulated model costs on `MODEL`. */
const REQUEST = "$0.0105";
const MODEL = "claude-sonnet-4-5";

async function chat(path: string) {
  const usage = { input_tokens: 1000, output_tokens: 500 };
  const { env, cwd } = await world(path, ({ prompt }) =>
    prompt.includes("story") ? hang("Once upon a time") : reply("Well.", { usage }),
  );
  const here = { cwd, env: { ...env, HAWSER_CLI: path } };
  const open = async (...args: string[]) => {
    const pty = hawserIn(here, "chat", "--model", MODEL, ...args);
    await pty.shows("/exit to leave\n>");
    return pty;
  };
  return open;
}

/** Sends a prompt, and waits for the line that says what the turn has cost. */
async function costs(pty: Pty, prompt: string, line: string): Promise<void> {
  pty.enter(prompt);
  await pty.shows("Well.");
  await pty.shows(`${line} ·`);
  await pty.shows("\n>");
}

/** The command starts twice, and the CLI four times. */
const SLOW_MS = 240_000;

const TURN = `1 round · 1,000 tokens in, 500 out · ${REQUEST}`;

it.each(clisInTurn())(
  "hawser chat on $name counts each turn once, over /rewind and /resume",
  async ({ path }) => {
    const open = await chat(path);
    const first = await open();
    await costs(first, "one", TURN);
    first.enter("/exit");
    await first.shows(`\n${REQUEST} spent in this chat`);
    await first.exit;

    const pty = await open();
    await costs(pty, "two", TURN);
    await costs(pty, "three", TURN);
    pty.enter("/rewind 2");
    await pty.shows("Back to before: three");
    await pty.shows("\n>");
    await costs(pty, "four", TURN);
    pty.enter("/resume");
    await pty.shows("which one?");
    const [, number = ""] = /(\d)\. \d+ \S+ ago · one \(/.exec(pty.text) ?? [];
    pty.enter(number);
    await pty.shows("Continuing: one");
    await pty.shows("\n>");
    await costs(pty, "five", TURN);
    pty.enter("/cost");
    await pty.shows(`${MODEL}  4,000 tokens in, 2,000 out · $0.0420`);
    await pty.shows("$0.0420 spent since this chat began");
    await pty.shows("\n>");
    pty.type(KEYS.ctrlD);
    await pty.shows("spent in this chat");
    expect((await pty.exit).code).toBe(0);
    // It is not on the line of the prompt.
    expect(pty.text).toMatch(/\n> ?\n\$0\.0420 spent in this chat$/);
  },
  SLOW_MS,
);

it.each(clisInTurn())(
  "hawser chat on $name prints what is known of a stopped turn, and no zero",
  async ({ path }) => {
    const open = await chat(path);
    const pty = await open();
    await costs(pty, "one", TURN);
    pty.enter("Tell a story.");
    await pty.shows("Once upon a time");
    pty.type(KEYS.ctrlC);
    // The newest CLI counts what has arrived of a request that was cut off.
    if (path === NEWEST_CLI) await pty.shows(/Stopped\.\nat least \$0\.000\d · \d+\.\d s\n>/);
    else await pty.shows(/Stopped\.\ntokens and cost unknown · \d+\.\d s\n>/);
    await costs(pty, "two", TURN);
    pty.enter("/exit");
    await pty.shows(/at least \$0\.021\d spent in this chat/);
    await pty.exit;
    expect(pty.text).not.toMatch(/\b0 tokens|\$0\.00\b/);
  },
);

it("summaryLine() shows the answering time apart, and stoppedLine() the known cost", () => {
  const usage = { input_tokens: 1000, output_tokens: 500 };
  const spending = { usage, costUsd: 0.0105, totalMs: 800, answeringMs: 11_800 };
  expect(summaryLine({ model: undefined, turns: 2, ...spending })).toBe(
    "2 rounds · 1,000 tokens in, 500 out · $0.0105 · 0.8 s · your answers took 11.8 s",
  );
  expect(stoppedLine({ usage, costUsd: 0.0105, totalMs: 800 })).toBe(
    "at least 1,000 tokens in, 500 out · at least $0.0105 · 0.8 s",
  );
  const none = { input_tokens: 0, output_tokens: 0 };
  expect(stoppedLine({ usage: none, costUsd: 0, totalMs: 800 })).toBe(
    "tokens and cost unknown · 0.8 s",
  );
});

it("ChatCost prints `at least` once a cost is unknown", () => {
  const expenses = new ChatCost();
  expect(String(expenses)).toBe("$0.00");
  // No session has seen this result.
  expenses.add({ type: "result", subtype: "success" } as ResultMessage);
  expect(String(expenses)).toBe("at least $0.00");
});
