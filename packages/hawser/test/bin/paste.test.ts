import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ReplyScript, toolUse } from "../../src/testing/index.js";
import { NEWEST_CLI } from "../support/cli.js";
import { until } from "../support/proc.js";
import { hawserIn, KEYS, type Pty } from "../support/pty.js";
import { world } from "../support/world.js";

const ALT_ENTER = "\x1b\r";

/** What a terminal sends for a paste, when it was asked to mark pastes. */
function paste(text: string): string {
  return `\x1b[200~${text.replaceAll("\n", "\r")}\x1b[201~`;
}

async function chat(replies: ReplyScript = () => "Well.") {
  const { model, env, cwd } = await world(NEWEST_CLI, replies);
  const pty = hawserIn({ cwd, env: { ...env, HAWSER_CLI: NEWEST_CLI } }, "chat");
  await pty.shows("/exit to leave\n>");
  return { pty, model, cwd, prompts: () => model.calls.map(({ prompt }) => prompt) };
}

/** When the turn is over and the next one can be typed. */
async function prompted(pty: Pty) {
  await pty.shows(/ s\n>/);
}

/** The modes that the terminal was asked for, in their order. */
function marks(pty: Pty): string {
  return pty.raw.match(/(?<=\x1b\[\?2004)[hl]/g)?.join("") ?? "";
}

describe("hawser chat, in a terminal", () => {
  it("puts a paste into the text, sends all of it at Enter, and brings it back by Up", async () => {
    const { pty, prompts } = await chat();
    pty.type("see : done");
    for (const _ of " done") pty.type("\x1b[D");
    pty.type(paste("\n\n  const a = 1;\n\n  const b = 2;"));
    await pty.shows(/ see :\n *\n +const a = 1;\n *\n +const b = 2; done/);
    expect(prompts()).toEqual([]);
    pty.type(KEYS.enter);
    await prompted(pty);
    const sent = "see :\n\n  const a = 1;\n\n  const b = 2; done";
    expect(prompts()).toEqual([sent]);
    pty.type(KEYS.up);
    await pty.shows(/ see :\n *\n +const a = 1;\n *\n +const b = 2; done/);
    pty.enter(" twice");
    await prompted(pty);
    expect(prompts()).toEqual([sent, `${sent} twice`]);
  });

  it("starts another line at Alt-Enter and after a backslash, as /help says", async () => {
    const { pty, prompts } = await chat();
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
    expect(prompts()).toEqual(["one\ntwo\nthree"]);
  });

  it("loses no line where the terminal does not mark pastes, and waits for Enter", async () => {
    const { pty, prompts } = await chat();
    pty.type("alpha one\rbeta two\rgamma three");
    await pty.shows(/ alpha one\n +beta two\n +gamma three/);
    expect(prompts()).toEqual([]);
    pty.type(KEYS.enter);
    await prompted(pty);
    expect(prompts()).toEqual(["alpha one\nbeta two\ngamma three"]);
  });

  it("keeps what is pasted while a turn is running for the next prompt, unsent", async () => {
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { pty, prompts } = await chat(async ({ prompt }) => {
      if (prompt === "first") await gate;
      return "Well.";
    });
    pty.enter("first");
    await until(() => prompts().length === 1);
    pty.type("next one\nnext two");
    await pty.shows("next two");
    go();
    await pty.shows(/ s\n> next one\n +next two/);
    expect(prompts()).toEqual(["first"]);
    pty.type(KEYS.enter);
    await prompted(pty);
    expect(prompts()).toEqual(["first", "next one\nnext two"]);
  });

  it("shows a sign for escape sequences in a paste, and never writes them", async () => {
    const { pty } = await chat();
    pty.type(paste("a\x1b]0;owned\x07b\x1b[2Jc\x1b[?1049hd"));
    await pty.shows("a␛]0;owned␇b␛[2Jc␛[?1049hd");
    pty.type(KEYS.enter);
    await prompted(pty);
    for (const sequence of ["\x1b]0;", "\x1b[2J", "\x1b[?1049h"]) {
      expect(pty.raw).not.toContain(sequence);
    }
  });

  it("shows the end of a paste that is longer than the screen, and sends all of it", async () => {
    const { pty, prompts } = await chat();
    const text = Array.from({ length: 3000 }, (_, i) => `line ${i} of many`).join("\n");
    pty.type(paste(text));
    await pty.shows(/more lines above\)(\n +line \d+ of many)+\n +line 2999 of many/);
    pty.type(KEYS.enter);
    await prompted(pty);
    expect(prompts()).toEqual([text]);
  });

  it("takes a paste away at Ctrl-C, and stays", async () => {
    const { pty, prompts } = await chat();
    pty.type(paste("wrong\nthing"));
    await pty.shows(/ wrong\n +thing/);
    pty.type(KEYS.ctrlC);
    await pty.shows("\n>");
    pty.enter("right");
    await prompted(pty);
    expect(prompts()).toEqual(["right"]);
  });

  it("runs no command of its own for several lines that begin with a slash", async () => {
    const { pty, prompts } = await chat();
    pty.type(paste("/exit code 3\nis what I got"));
    await pty.shows("is what I got");
    pty.type(KEYS.enter);
    await prompted(pty);
    pty.enter("still here");
    await until(() => prompts().at(-1)?.includes("still here"));
  });

  it("sends several lines that begin with a command of the CLI as text", async () => {
    const { pty, prompts } = await chat();
    const lines = "/clear\nis the last line of the log";
    pty.type(paste(lines));
    await pty.shows("the last line");
    pty.type(KEYS.enter);
    await prompted(pty);
    expect(prompts()).toEqual([lines]);
  });

  it("lets go of the keys after a paste whose end marker never comes", async () => {
    const { pty } = await chat();
    pty.type("\x1b[200~stuck");
    await pty.shows(" stuck");
    // The person presses keys until one of them comes after a pause.
    const presses = setInterval(() => pty.type(KEYS.ctrlC), 700);
    await pty.shows("press Ctrl-C again to quit").finally(() => clearInterval(presses));
    pty.type(KEYS.ctrlC);
    expect((await pty.exit).code).toBe(0);
  });
});

describe("a permission question", () => {
  const write: ReplyScript = ({ toolResults }) =>
    toolResults.length > 0 ? "Well." : toolUse("Bash", { command: "touch knot" });

  it("is not answered by what was pasted before, which stays for the next prompt", async () => {
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { pty, cwd, prompts } = await chat(async (request) => {
      if (prompts().length === 1) await gate;
      return typeof write === "function" ? write(request) : "";
    });
    pty.enter("tie it");
    await until(() => prompts().length === 1);
    pty.type("y\ny\nyes\n");
    await pty.shows("yes");
    go();
    await pty.shows("[y]es");
    await pty.shows(/\n {2}>$/);
    expect(existsSync(join(cwd, "knot"))).toBe(false);
    pty.enter("no");
    await pty.shows(/ s\n> y\n +y\n +yes/);
    expect(existsSync(join(cwd, "knot"))).toBe(false);
  });

  it("is not answered by a paste alone, only by Enter", async () => {
    const { pty, cwd } = await chat(write);
    pty.enter("tie it");
    await pty.shows("[y]es");
    await pty.shows(/\n {2}>$/);
    pty.type(paste("y\ny\n"));
    await pty.shows(/ y\n +y/);
    pty.type(KEYS.ctrlC);
    await pty.shows(/\n {2}>$/);
    expect(existsSync(join(cwd, "knot"))).toBe(false);
    pty.enter("y");
    await prompted(pty);
    expect(existsSync(join(cwd, "knot"))).toBe(true);
  });
});

describe("bracketed paste", () => {
  it("is on while a line is asked for, and off while a turn is running and after /exit", async () => {
    let during = "";
    const { pty } = await chat(() => {
      during = marks(pty);
      return "Well.";
    });
    await until(() => marks(pty) === "h");
    pty.enter("go");
    await prompted(pty);
    expect(during).toBe("hl");
    pty.enter("/exit");
    await pty.exit;
    expect(marks(pty)).toMatch(/l$/);
  });

  it.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)("is off after %s", async (signal) => {
    const { pty } = await chat();
    process.kill(pty.pid, signal);
    await pty.exit;
    expect(marks(pty)).toBe("hl");
  });
});
