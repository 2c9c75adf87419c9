import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { NEWEST_CLI } from "../support/cli.js";
import { stillAlive, treeOf, until } from "../support/proc.js";
import { deaf, HAWSER, hawserIn, KEYS, place } from "../support/pty.js";
import { world } from "../support/world.js";
import { prompted, sharedOfflineChat } from "./shared-chat.helper.js";

const chat = sharedOfflineChat("--allow", "Bash");

describe("hawser chat in a terminal", () => {
  it("asks about a tool with its change, runs it after a yes, and undoes it at /rewind", async () => {
    const [pty, cwd] = [chat.pty, chat.cwd()];
    pty.enter("write knot.txt: bowline");
    await pty.shows(/\? Write\n\s+\S+knot\.txt\n\s+\+ bowline\n\s+\[y\]es/);
    expect(existsSync(join(cwd, "knot.txt"))).toBe(false);
    pty.enter("y");
    await prompted(pty);
    expect(readFileSync(join(cwd, "knot.txt"), "utf8")).toBe("bowline\n");

    pty.enter("write knot.txt: sheet bend");
    await pty.shows(/- bowline\n\s+\+ sheet bend/);
    // The line of the call may come later than the question about it.
    await pty.shows(/\n {2}\[y\]es/);
    pty.enter("always");
    await prompted(pty);
    pty.enter("write knot.txt: clove hitch");
    // Nothing is asked any more.
    await pty.shows(/● Write knot\.txt\n\s+⎿ The file/);
    await prompted(pty);

    pty.enter("/rewind 2");
    await pty.shows("knot.txt restored");
    await pty.shows("Back to before: write knot.txt: sheet bend");
    await pty.shows("\n>");
    expect(readFileSync(join(cwd, "knot.txt"), "utf8")).toBe("bowline\n");
    pty.enter("run cat knot.txt");
    await pty.shows("bowline");
    await prompted(pty);
  });

  it("does not show the warning that --allow bypasses canUseTool", async () => {
    const { pty } = chat;
    pty.enter("run touch x");
    await prompted(pty);
    expect(existsSync(join(chat.cwd(), "x"))).toBe(true);
    // From the start of the command, when the rule was given.
    expect(pty.raw).not.toMatch(/warning|canUseTool/i);
  });

  it("goes on in the same conversation after the CLI was killed", async () => {
    const { pty } = chat;
    pty.enter("count to 500");
    await pty.shows("5 6 7");
    const [cli] = treeOf(pty.pid).filter(({ command }) => command.includes("claude"));
    process.kill(cli?.pid ?? Number.NaN, "SIGKILL");
    await pty.shows("your next prompt continues it");
    await pty.shows("\n>");
    pty.enter("What is a bowline?");
    await pty.shows("neither slips nor jams");
    await prompted(pty);
  });

  it("quits at once at the second Ctrl-C, and leaves no process behind", async () => {
    const cli = await deaf();
    const here = place();
    const pty = hawserIn({ ...here, env: { ...here.env, HAWSER_CLI: cli.path } }, "chat", "hello");
    await pty.shows("Once upon a time");
    const tree = treeOf(pty.pid);
    pty.type(KEYS.ctrlC);
    await pty.shows("stopping; press Ctrl-C again to quit at once");
    pty.type(KEYS.ctrlC);
    expect((await pty.exit).code).toBe(130);
    await until(() => stillAlive(tree).length === 0);
  });

  it("changes the model with /model and the mode with /mode, and shows the cost with /cost", async () => {
    const { pty } = chat;
    pty.enter("/model");
    await pty.shows(/sonnet/i);
    await pty.shows("\n>");
    pty.enter("/model haiku");
    await pty.shows("The next turn uses haiku.");
    await pty.shows("\n>");
    pty.enter("/mode acceptEdits");
    await pty.shows("The permission mode is now acceptEdits.");
    await pty.shows("\n>");
    pty.enter("/mode none");
    await pty.shows("! There is no permission mode none.");
    await pty.shows("Use one of: default, acceptEdits, plan, dontAsk, auto, bypassPermissions.");
    await pty.shows("\n>");
    pty.enter("write other.txt: bowline");
    await pty.shows("⎿ File created");
    await prompted(pty);
    pty.enter("/cost");
    await pty.shows(/haiku\S* +\d+ tokens in, \d+ out · \$0\.\d+/);
    await pty.shows(/\$0\.\d+ spent since this chat began/);
    await pty.shows("\n>");
    pty.enter("/mode default");
    await pty.shows("The permission mode is now default.");
    await pty.shows("\n>");
  });
});

it("/rewind works in a conversation that hawser chat has resumed, up to the resumed prompt", async () => {
  const { model, env, cwd } = await world(NEWEST_CLI, () => "Well.");
  const here = { cwd, env: { ...env, HAWSER_CLI: NEWEST_CLI } };
  const first = hawserIn(here, "chat", "What is the first?");
  await first.shows("Well.");
  await prompted(first);
  first.enter("/exit");
  await first.exit;

  const pty = hawserIn(here, "chat", "--continue", "What is the second?");
  await pty.shows("Well.");
  await prompted(pty);
  pty.enter("/rewind 1");
  await pty.shows("Back to before: What is the second?");
  await pty.shows("\n>");
  pty.enter("What is the third?");
  await pty.shows("Well.");
  await prompted(pty);
  const sent = JSON.stringify(model.calls.at(-1)?.body);
  expect(["first", "second", "third"].map((each) => sent.includes(`is the ${each}?`))).toEqual([
    true,
    false,
    true,
  ]);
  pty.enter("/exit");
  expect((await pty.exit).code).toBe(0);
});

it("hawser chat --json answers each line of a pipe with lines of JSON", async () => {
  const { cwd, env } = place();
  const child = spawn(process.execPath, [HAWSER, "chat", "--offline", "--json"], {
    cwd,
    env: { ...env, HAWSER_CLI: "/nowhere/claude" },
  });
  child.stdin.end("hello\nWhat is a bowline?\n");
  const [out] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const messages = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(messages.filter(({ type }) => type === "result").map(({ result }) => result)).toEqual([
    expect.stringContaining("You said: hello"),
    "A bowline makes a loop that neither slips nor jams.",
  ]);
});

// The last test of the file, because it ends the chat that the others share.
it("hawser chat stops the turn at Ctrl-C, and quits at two Ctrl-C when no turn runs", async () => {
  const { pty } = chat;
  pty.enter("count to 500");
  await pty.shows("5 6 7");
  pty.type(KEYS.ctrlC);
  await pty.shows("Stopped.");
  await pty.shows("\n>");
  pty.enter("hello");
  await pty.shows("You said: hello");
  await prompted(pty);
  const tree = treeOf(pty.pid);
  expect(tree.length).toBeGreaterThan(1);
  pty.type(KEYS.ctrlC);
  await pty.shows("press Ctrl-C again to quit");
  pty.type(KEYS.ctrlC);
  expect((await pty.exit).code).toBe(0);
  await until(() => stillAlive(tree).length === 0);
});
