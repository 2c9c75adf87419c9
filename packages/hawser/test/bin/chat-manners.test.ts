import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { apiError, type ReplyScript, toolUse } from "../../src/testing/index.js";
import { forkSession, listSessions, renameSession } from "../../src/transcripts/index.js";
import { FULL, NEWEST_CLI } from "../support/cli.js";
import { HAWSER, hawserIn, KEYS, type Pty, place } from "../support/pty.js";
import { world } from "../support/world.js";
import { prompted, sharedChat } from "./shared-chat.helper.js";

const chat = sharedChat();

interface Own {
  readonly cols?: number;
  readonly replies?: ReplyScript;
}

/** A chat for one test alone. */
async function ownChat({ cols = 100, replies = () => "Well." }: Own = {}) {
  const { env, cwd } = await world(NEWEST_CLI, replies);
  const pty = hawserIn({ cwd, env: { ...env, HAWSER_CLI: NEWEST_CLI }, cols }, "chat");
  await pty.shows(/\/exit\s+to\s+leave\n>/);
  return pty;
}

/** The words of a text in their order, wherever the lines of the screen are broken. */
function wrapped(text: string): RegExp {
  const literal = (word: string) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(text.split(" ").map(literal).join("\\s+"));
}

async function leave(pty: Pty) {
  pty.type(KEYS.ctrlD);
  await pty.shows("spent in this chat");
  expect((await pty.exit).code).toBe(0);
}

describe("hawser chat with a command that does not exist", () => {
  it("does not send a mistyped command, and names the one that may be meant", async () => {
    const { pty } = chat;
    for (const [typed, meant] of [
      ["/hepl", " Did you mean /help?"],
      ["/compct now", " Did you mean /compact?"],
      ["/zzzzzzzz", ""],
    ] as const) {
      pty.enter(typed);
      await pty.shows(`! Unknown command ${typed.split(" ")[0]}.${meant}`);
      await pty.shows("Nothing was sent.");
      await pty.shows("\n>");
    }
    expect(chat.prompts()).toEqual([]);
  });

  it("sends a path, and a slash after a space, as text", async () => {
    const { pty } = chat;
    for (const line of ["/etc/hosts is broken", "/tmp is full", " /hepl me"]) {
      pty.enter(line);
      await pty.shows("Well.");
      await prompted(pty);
    }
    expect(chat.prompts()).toEqual(["/etc/hosts is broken", "/tmp is full", "/hepl me"]);
  });

  it("passes a command of the CLI on to the CLI", async () => {
    const { pty } = chat;
    pty.enter("/context");
    await pty.shows("Context Usage");
    await prompted(pty);
    expect(chat.prompts()).toEqual([]);
  });
});

describe("/model and /mode of hawser chat", () => {
  it("ask about a mistyped model, and accept a full name that is not listed", async () => {
    const { pty } = chat;
    const models = () => chat.calls.map(({ body }) => (body as { model?: string }).model);
    pty.enter("/model sonet");
    await pty.shows("There is no model sonet in the list. Did you mean sonnet?");
    await pty.shows("Enter cancels\n  >");
    pty.enter("");
    await pty.shows("The model is unchanged.");
    await pty.shows("\n>");
    pty.enter("/model sonet");
    await pty.shows("Enter cancels\n  >");
    pty.enter("y");
    await pty.shows("The next turn uses sonnet.");
    await pty.shows("\n>");
    pty.enter("hello");
    await prompted(pty);
    pty.enter("/model claude-sonnet-4-5");
    await pty.shows("The next turn uses claude-sonnet-4-5. The CLI does not list this model");
    await pty.shows("\n>");
    pty.enter("hello");
    await prompted(pty);
    pty.enter("/model sonet");
    await pty.shows("Enter cancels\n  >");
    pty.enter("n");
    await pty.shows("The next turn uses sonet. The CLI does not list this model");
    await pty.shows("\n>");
    expect(models()).toEqual([
      expect.stringMatching(/^claude-sonnet-(?!4-5)/),
      "claude-sonnet-4-5",
    ]);
    pty.enter("/model sonnet");
    await pty.shows("The next turn uses sonnet.");
    await pty.shows("\n>");
  });

  it("have the same modes in the help and in the error", async () => {
    const { pty } = chat;
    const modes = "default, acceptEdits, plan, dontAsk, auto, bypassPermissions";
    pty.enter("/help");
    await pty.shows(wrapped(`permission mode: ${modes}`));
    await pty.shows("The CLI's own commands: ");
    await pty.shows("\n>");
    pty.enter("/mode plann");
    await pty.shows("! There is no permission mode plann. Did you mean plan?");
    await pty.shows(wrapped(`Use one of: ${modes}.`));
    await pty.shows("\n>");
  });
});

describe("Tab in hawser chat", () => {
  it("completes commands, models and paths, and shows the choices", async () => {
    const { pty, cwd } = chat;
    mkdirSync(join(cwd, "knots"));
    writeFileSync(join(cwd, "knots", "bowline.txt"), "a loop");
    pty.type("/mod");
    await pty.shows("/mod");
    pty.type("\t");
    await pty.shows(/ \/model\n> \/mode/);
    pty.type("l so\t");
    await pty.shows("l sonnet");
    pty.type(KEYS.enter);
    await pty.shows("The next turn uses sonnet.");
    await pty.shows("\n>");
    pty.type("see @kn\t");
    await pty.shows("see @knots/");
    pty.type("\t");
    await pty.shows("bowline.txt");
    pty.type(KEYS.enter);
    await prompted(pty);
    expect(chat.prompts()).toEqual([expect.stringContaining("see @knots/bowline.txt")]);
  });

  it("leaves a tab inside a paste as it is", async () => {
    const { pty } = chat;
    pty.type("\x1b[200~/mod\t/he\t\x1b[201~");
    await pty.shows(/\/mod +\/he/);
    pty.type(" x");
    await pty.shows("x");
    expect(chat.text).not.toContain("/model");
    pty.type("\x15");
    pty.enter(`say ${"\x1b[200~"}a\tb${"\x1b[201~"}`);
    await prompted(pty);
    expect(chat.prompts()).toEqual(["say a\tb"]);
  });
});

describe.each(FULL ? [40, 60, 100] : [40])("hawser chat on %i columns", (cols) => {
  /** The words of a text in their order, wherever its lines are broken. */
  function words(text: string): string {
    return text.split(/\s+/).join(" ");
  }

  it("wraps notes and the permission question at word boundaries, indented", async () => {
    const command = "touch one.txt two.txt three.txt four.txt five.txt six.txt seven.txt eight.txt";
    const description = "Makes eight files with long names";
    const pty = await ownChat({
      cols,
      replies: ({ toolResults }) =>
        toolResults.length > 0 ? "Done." : toolUse("Bash", { command, description }),
    });
    pty.enter("/help");
    await pty.shows(/Space +Before/);
    await pty.shows("\n>");
    const help = pty.text.slice(pty.text.indexOf("/model [name]"));
    expect(words(help)).toContain(
      "permission mode: default, acceptEdits, plan, dontAsk, auto, byp",
    );
    pty.enter("go");
    await pty.shows("? Bash");
    await pty.shows(/\n {2}>$/);
    const question = pty.text.slice(pty.text.lastIndexOf("? Bash"));
    expect(words(question)).toContain(`Bash ${command}`);
    expect(words(question)).toContain(`the model says: ${description}`);
    expect(words(question)).toContain("[n]o, or say what to do instead >");
    for (const row of question.split("\n").slice(1)) expect(row).toMatch(/^ {2}/);
    const [shown = ""] = question.split("the model says");
    const details = shown.split("\n").filter((row) => row.includes(".txt"));
    const indents = details.map((row) => row.search(/\S/));
    expect(indents).toEqual(details.map((_, i) => (i === 0 ? 4 : 6)));
    pty.enter("n");
    await prompted(pty);
    await leave(pty);
  });
});

describe("/resume and /rewind of hawser chat", () => {
  it("list ages, say that Enter cancels, and do not print the header again", async () => {
    const pty = await ownChat();
    pty.enter("one");
    await prompted(pty);
    pty.enter("/rewind");
    await pty.shows("1. one");
    await pty.shows("which one? (Enter cancels)");
    pty.enter("/hepl");
    await pty.shows("! There is no /hepl in the list.");
    await pty.shows("The list has only number 1.");
    await pty.shows("\n>");
    pty.enter("/rewind 1");
    await pty.shows("Back to before: one");
    await pty.shows("\n>");
    pty.enter("/resume");
    await pty.shows(/1\. \d+ (s|min) ago · one \(/);
    await pty.shows("which one? (Enter cancels)");
    pty.enter("");
    await pty.shows("\n>");
    const [, id = ""] = /one \(([\da-f]{8})/.exec(pty.text) ?? [];
    pty.enter("/resume abcdefg");
    await pty.shows("! There is no conversation abcdefg in this folder.");
    await pty.shows("\n>");
    pty.enter(`/resume ${id}`);
    await pty.shows("Continuing: one");
    await pty.shows("\n>");
    expect(pty.text.match(/\/exit to leave/g)).toHaveLength(1);
    await leave(pty);
  });
});

it("/resume finds a conversation by its title, even if it is not among the latest", async () => {
  const { pty, cwd, configDir } = chat;
  pty.enter("one");
  await prompted(pty);
  const [{ sessionId = "" } = {}] = await listSessions({ dir: cwd, configDir });
  await renameSession(sessionId, "My knots", { dir: cwd, configDir });
  for (let i = 0; i < 25; i += 1) await forkSession(sessionId, { dir: cwd, configDir });
  pty.enter("/rewind 1");
  await pty.shows("Back to before: ");
  await pty.shows("\n>");
  pty.enter("/resume my KNOTS");
  await pty.shows("Continuing: My knots");
  await pty.shows("\n>");
});

describe("a permission question of hawser chat", () => {
  it("has its answering time shown apart from the time of the turn", async () => {
    const { pty } = chat;
    chat.replies(({ toolResults }) =>
      toolResults.length > 0 ? "Done." : toolUse("Bash", { command: "touch a" }),
    );
    pty.enter("go");
    await pty.shows("[y]es");
    await pty.shows(/\n {2}>$/);
    pty.enter("n");
    await pty.shows(/\d+\.\d s · your answers took \d+\.\d s\n>/);
  });

  it("that Ctrl-C stops has no effect on the answer to the next prompt (--offline)", async () => {
    const pty = hawserIn(place(), "chat", "--offline");
    await pty.shows("/exit to leave\n>");
    pty.enter("run touch a");
    await pty.shows("[y]es");
    await pty.shows(/\n {2}>$/);
    pty.type(KEYS.ctrlC);
    await pty.shows("Stopped.");
    await prompted(pty);
    pty.enter("What is a bowline?");
    await pty.shows("neither slips nor jams");
    await prompted(pty);
    expect(pty.text).not.toContain("It did not work");
    await leave(pty);
  });
});

it("hawser chat --json explains an error with its own flags and variables", async () => {
  const { env, cwd } = await world(NEWEST_CLI, () => apiError(401));
  const child = spawn(process.execPath, [HAWSER, "chat", "--json"], {
    cwd,
    env: { ...env, HAWSER_CLI: NEWEST_CLI },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.end("hello\n");
  const told = (await text(child.stdout)).trim().split("\n");
  const [line = ""] = told.filter((each) => each.startsWith('{"error":'));
  const { error } = JSON.parse(line) as { error: { code: string; hint: string } };
  expect(error.code).toBe("auth");
  expect(error.hint).toContain("set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN");
});

it("hawser chat explains an error with its own flags and variables, not with options", async () => {
  const { pty } = chat;
  chat.replies(() => apiError(401));
  pty.enter("hello");
  await pty.shows("!");
  await pty.shows("\n>");
  expect(chat.text).toContain("set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN");
  expect(chat.text).not.toContain("`apiKey`");
});
