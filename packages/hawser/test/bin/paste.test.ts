import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ReplyFunction, toolUse } from "../../src/testing/index.js";
import { NEWEST_CLI } from "../support/cli.js";
import { until } from "../support/proc.js";
import { hawserIn, KEYS } from "../support/pty.js";
import { world } from "../support/world.js";
import { chatOnFake, clearLine, prompted, sharedChat } from "./shared-chat.helper.js";

const chat = sharedChat();

const ALT_ENTER = "\x1b\r";

/** What a terminal sends for a paste, when it was asked to mark pastes. */
function paste(text: string): string {
  return `\x1b[200~${text.replaceAll("\n", "\r")}\x1b[201~`;
}

/** The modes that the terminal was asked for, in their order. */
function marks({ raw }: { readonly raw: string }): string {
  return raw.match(/(?<=\x1b\[\?2004)[hl]/g)?.join("") ?? "";
}

describe("hawser chat in a terminal", () => {
  it("puts a paste into the edit line, sends all of it at Enter, and brings it back with Up", async () => {
    const { pty } = chat;
    pty.type("see : done");
    for (const _ of " done") pty.type("\x1b[D");
    pty.type(paste("\n\n  const a = 1;\n\n  const b = 2;"));
    await pty.shows(/ see :\n *\n +const a = 1;\n *\n +const b = 2; done/);
    expect(chat.prompts()).toEqual([]);
    pty.type(KEYS.enter);
    await prompted(pty);
    const sent = "see :\n\n  const a = 1;\n\n  const b = 2; done";
    expect(chat.prompts()).toEqual([sent]);
    pty.type(KEYS.up);
    await pty.shows(/ see :\n *\n +const a = 1;\n *\n +const b = 2; done/);
    pty.enter(" twice");
    await prompted(pty);
    expect(chat.prompts()).toEqual([sent, `${sent} twice`]);
  });

  it("starts a new line at Alt-Enter and after a backslash, as /help says", async () => {
    const { pty } = chat;
    pty.enter("/help");
    await pty.shows("Alt-Enter");
    await pty.shows("backslash");
    await pty.shows("\n>");
    pty.type(`one${ALT_ENTER}two\\`);
    await pty.shows(/ one\n +two\\/);
    pty.type(KEYS.enter);
    pty.type("three");
    await pty.shows("three");
    pty.type(KEYS.enter);
    await prompted(pty);
    expect(chat.prompts()).toEqual(["one\ntwo\nthree"]);
  });

  it("keeps every line of a paste that the terminal does not mark, and waits for Enter", async () => {
    const { pty } = chat;
    pty.type("alpha one\rbeta two\rgamma three");
    await pty.shows(/ alpha one\n +beta two\n +gamma three/);
    expect(chat.prompts()).toEqual([]);
    pty.type(KEYS.enter);
    await prompted(pty);
    expect(chat.prompts()).toEqual(["alpha one\nbeta two\ngamma three"]);
  });

  it("shows a symbol for each escape sequence in a paste and never writes the sequence", async () => {
    const { pty } = chat;
    pty.type(paste("a\x1b]0;owned\x07b\x1b[2Jc\x1b[?1049hd"));
    await pty.shows("a␛]0;owned␇b␛[2Jc␛[?1049hd");
    pty.type(KEYS.enter);
    await prompted(pty);
    for (const sequence of ["\x1b]0;", "\x1b[2J", "\x1b[?1049h"]) {
      expect(chat.raw).not.toContain(sequence);
    }
  });

  it("shows the end of a paste that is longer than the screen, and sends all of it", async () => {
    const { pty } = chat;
    const text = Array.from({ length: 3000 }, (_, i) => `line ${i} of many`).join("\n");
    pty.type(paste(text));
    await pty.shows(/more lines above\)(\n +line \d+ of many)+\n +line 2999 of many/);
    pty.type(KEYS.enter);
    await prompted(pty);
    expect(chat.prompts()).toEqual([text]);
  });

  it("clears a paste at Ctrl-C and stays open", async () => {
    const { pty } = chat;
    pty.type(paste("wrong\nthing"));
    await pty.shows(/ wrong\n +thing/);
    pty.type(KEYS.ctrlC);
    await pty.shows("\n>");
    pty.enter("right");
    await prompted(pty);
    expect(chat.prompts()).toEqual(["right"]);
  });

  it("sends several lines that begin with one of its own commands as text", async () => {
    const { pty } = chat;
    pty.type(paste("/exit code 3\nis what I got"));
    await pty.shows("is what I got");
    pty.type(KEYS.enter);
    await prompted(pty);
    pty.enter("still here");
    await prompted(pty);
    expect(chat.prompts()).toEqual([
      "/exit code 3\nis what I got",
      expect.stringContaining("still here"),
    ]);
  });

  it("sends several lines that begin with a command of the CLI as text", async () => {
    const { pty } = chat;
    const lines = "/clear\nis the last line of the log";
    pty.type(paste(lines));
    await pty.shows("the last line");
    pty.type(KEYS.enter);
    await prompted(pty);
    expect(chat.prompts()).toEqual([lines]);
  });
});

it("hawser chat keeps a paste during a turn for the next prompt and does not send it", async () => {
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { model, env, cwd } = await world(NEWEST_CLI, async ({ prompt }) => {
    if (prompt === "first") await gate;
    return "Well.";
  });
  const prompts = () => model.calls.map(({ prompt }) => prompt);
  const pty = hawserIn({ cwd, env: { ...env, HAWSER_CLI: NEWEST_CLI } }, "chat");
  await pty.shows("/exit to leave\n>");
  pty.enter("first");
  await until(() => prompts().length === 1);
  pty.type("next one\nnext two");
  // The terminal shows what is typed. The second line may be covered at once, because the spinner is drawn there.
  await pty.shows("next one");
  go();
  await pty.shows(/ s\n> next one\n +next two/);
  expect(prompts()).toEqual(["first"]);
  pty.type(KEYS.enter);
  await prompted(pty);
  expect(prompts()).toEqual(["first", "next one\nnext two"]);
});

it("hawser chat takes keys again after a paste whose end marker never comes", async () => {
  const pty = await chatOnFake();
  pty.type("\x1b[200~stuck");
  await pty.shows(" stuck");
  // The person presses keys until one of them comes after a pause.
  const presses = setInterval(() => pty.type(KEYS.ctrlC), 700);
  await pty.shows("press Ctrl-C again to quit").finally(() => clearInterval(presses));
  pty.type(KEYS.ctrlC);
  expect((await pty.exit).code).toBe(0);
});

describe("a permission question of hawser chat", () => {
  const touch =
    (file: string): ReplyFunction =>
    ({ toolResults }) =>
      toolResults.length > 0 ? "Well." : toolUse("Bash", { command: `touch ${file}` });

  it("is not answered by what was pasted before, which stays for the next prompt", async () => {
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { pty, cwd } = chat;
    chat.replies(async (request) => {
      if (chat.prompts().length === 1) await gate;
      return touch("bowline")(request);
    });
    pty.enter("tie it");
    await until(() => chat.prompts().length === 1);
    pty.type("y\ny\nyes\n");
    await pty.shows("yes");
    go();
    await pty.shows("[y]es");
    await pty.shows(/\n {2}>$/);
    expect(existsSync(join(cwd, "bowline"))).toBe(false);
    pty.enter("no");
    await pty.shows(/ s\n> y\n +y\n +yes/);
    expect(existsSync(join(cwd, "bowline"))).toBe(false);
    await clearLine(pty);
  });

  it("is not answered by a paste alone, only by Enter", async () => {
    const { pty, cwd } = chat;
    chat.replies(touch("hitch"));
    pty.enter("tie it");
    await pty.shows("[y]es");
    await pty.shows(/\n {2}>$/);
    pty.type(paste("y\ny\n"));
    await pty.shows(/ y\n +y/);
    pty.type(KEYS.ctrlC);
    await pty.shows(/\n {2}>$/);
    expect(existsSync(join(cwd, "hitch"))).toBe(false);
    pty.enter("y");
    await prompted(pty);
    expect(existsSync(join(cwd, "hitch"))).toBe(true);
  });

  it("has bracketed paste off while a turn is running, and on again at the next prompt", async () => {
    const { pty } = chat;
    let during = "";
    chat.replies(async () => {
      // The model may get the request before this test gets what the chat has written to the terminal.
      await until(() => marks(chat).endsWith("l"));
      during = marks(chat);
      return "Well.";
    });
    pty.enter("go");
    await prompted(pty);
    // The prompt of the test before may still be turning it on when this test begins.
    expect(during).toMatch(/^h?l$/);
    await until(() => marks(chat).endsWith("lh"));
  });
});

describe("bracketed paste", () => {
  it.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)(
    "is on at the prompt of hawser chat, and off after %s",
    async (signal) => {
      const pty = await chatOnFake();
      await until(() => marks(pty) === "h");
      process.kill(pty.pid, signal);
      await pty.exit;
      expect(marks(pty)).toBe("hl");
    },
  );

  it("is off after /exit", async () => {
    const pty = await chatOnFake();
    pty.enter("/exit");
    await pty.exit;
    expect(marks(pty)).toMatch(/l$/);
  });
});
