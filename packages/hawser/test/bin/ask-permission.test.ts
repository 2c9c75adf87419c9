import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { oneLine, printable, visible } from "../../src/base/index.js";
import { breakIntoRows } from "../../src/bin/terminal/wrap-text.js";
import { callDetails } from "../../src/bin/turn/tool-call-text.js";
import { fakeCli, type ReplyFunction, toolUse } from "../../src/testing/index.js";
import { NEWEST_CLI } from "../support/cli.js";
import { hawserIn, type Pty, place } from "../support/pty.js";
import { world } from "../support/world.js";
import { prompted, sharedChat } from "./shared-chat.helper.js";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "hawser-details-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function details(input: unknown, cwd = "/", tool = "Bash"): string[] {
  return callDetails(tool, input, cwd).map(({ text }) => text);
}

describe("callDetails()", () => {
  it("returns every field of the input, whatever the tool is", () => {
    const sandbox = { command: "ls\nrm x", description: "Lists", dangerouslyDisableSandbox: true };
    expect(details(sandbox)).toEqual([
      ...["ls", "rm x", "dangerouslyDisableSandbox: true", "the model says: Lists"],
    ]);
    expect(details({ command: "status", target: "prod" })).toEqual(["status", "target: prod"]);
    expect(details({ file_path: "a", recursive: true })).toEqual(["a", "recursive: true"]);
    const edit = { file_path: "a", old_string: "x", new_string: "y", replace_all: true };
    expect(details(edit)).toEqual(["a", "- x", "+ y", "replace_all: true"]);
    const { file_path, ...one } = edit;
    expect(details({ file_path, edits: [one, { ...one, replace_all: false }] })).toEqual([
      ...["a", "- x", "+ y", "replace_all: true", "- x", "+ y"],
    ]);
    const cell = { notebook_path: "n", new_source: "a\nb", edit_mode: "insert" };
    expect(details(cell)).toEqual([
      ...["notebook_path: n", "edit_mode: insert", "new_source: a", "  b"],
    ]);
    const long = details({ list: Array.from({ length: 100 }, () => 1) });
    expect(long).toHaveLength(102);
  });

  it("puts the command first and the model's description last, on one line", () => {
    const description = `git status${"\n".repeat(62)}${"x".repeat(500)}`;
    const shown = details({ description, command: "git status $(touch EVIL)", timeout_ms: 5 });
    expect(shown.slice(0, 2)).toEqual(["git status $(touch EVIL)", "timeout_ms: 5"]);
    expect(shown[2]).toMatch(/^the model says: git status x+…$/);
    expect(shown).toHaveLength(3);
  });

  it("cuts no field of an MCP tool, and puts short fields before long ones", () => {
    const input = { note: "a\n".repeat(99), "na\nme": "x", command: "c", description: "d\ne" };
    expect(details(input, "/", "mcp__shop__sell").slice(0, 5)).toEqual([
      ...["c", "na␊me: x", "description: d", "  e", "note: a"],
    ]);
  });

  it("shows a symbol for every invisible character", () => {
    expect(visible("a\u00A0b\u2800c\u3164d\u0336e\uFE0Ff\u{F0000}")).toBe(
      "a<U+00A0>b<U+2800>c<U+3164>d<U+0336>e<U+FE0F>f<U+F0000>",
    );
    expect(visible(`e${"\u0301".repeat(4)}`)).toBe("e\u0301\u0301<U+0301><U+0301>");
    expect(visible("é❤️ 漢\u3000字")).toBe("é❤️ 漢\u3000字");
    expect(details({ command: "ls \x1b[2K\r\u202E\u200B" })).toEqual(["ls ␛[2K␍<U+202E><U+200B>"]);
    expect(details({ file_path: "a", old_string: "x\r\n", new_string: "x\n" })).toEqual([
      ...["a", "- x␍", "+ x"],
    ]);
    expect(visible("\u{E0041}")).toBe("<U+E0041>");
  });

  it("reports a change of the last line break alone, and a change of nothing", () => {
    const cwd = folder();
    writeFileSync(join(cwd, "a"), "x\n");
    expect(details({ file_path: "a", content: "x" }, cwd)).toContain(
      "(removes the line break at the end)",
    );
    expect(details({ file_path: "a", content: "x\n" }, cwd)).toEqual(["a", "(no change)"]);
  });

  it("says why the existing file cannot be shown, and does not wait for a pipe or device", () => {
    const cwd = folder();
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    writeFileSync(join(cwd, "binary"), "a\0b");
    writeFileSync(join(cwd, "huge"), "a".repeat(3_000_000));
    const told = (file_path: string) => details({ file_path, content: "x" }, cwd);
    for (const path of ["pipe", "/dev/zero", "."]) {
      expect(told(path)).toEqual([path, "(the path exists, but is not a regular file)", "+ x"]);
    }
    expect(told("binary")[1]).toBe("(replaces a binary file)");
    expect(told("huge")[1]).toBe("(replaces a file of 3,000,000 bytes)");
    expect(told("binary/x")[1]).toBe("(the existing file cannot be read: ENOTDIR)");
    expect(told("new")).toEqual(["new", "+ x"]);
  });
});

it("printable(), oneLine() and breakIntoRows() remove control characters and fit the screen", () => {
  expect(printable("a\x1b]0;x\x07\u202Eb\u2066\r\nc\td")).toBe("a]0;xb\nc\td");
  expect(oneLine("a\x1b\u202Eb", 10)).toBe("a b");
  expect(oneLine("漢字漢字漢字", 7)).toBe("漢字漢…");
  expect(oneLine("😀😀😀😀", 8)).toBe("😀😀😀😀");
  expect(oneLine("é".normalize("NFD").repeat(3), 3)).toBe("é".normalize("NFD").repeat(3));
  expect(oneLine("abc", -4)).toBe("…");
  expect(breakIntoRows("漢字漢", 5)).toEqual(["漢字", "漢"]);
  expect(breakIntoRows("a\tb", 80)).toEqual(["a       b"]);
  expect(breakIntoRows("", 5)).toEqual([""]);
});

it("a permission question of hawser ask is not answered by what was typed before", async () => {
  const { cwd, env } = place();
  const here = { cwd, env: { ...env, HAWSER_CLI: "/nowhere/claude" } };
  const pty = hawserIn(here, "ask", "--offline", "-t", "Bash", "run touch knot");
  await pty.shows("offline:");
  pty.enter("y");
  pty.enter("yes");
  await pty.shows("[y]es");
  await pty.shows(/\n +>$/);
  expect(existsSync(join(here.cwd, "knot"))).toBe(false);
  pty.enter("");
  await pty.shows(/\[y\]es.*\n +>$/);
  pty.enter("no, tie it first");
  await pty.shows("Not allowed. The model gets your answer as an instruction.");
  await pty.shows("The person says: no, tie it first");
  expect((await pty.exit).code).toBe(0);
  expect(existsSync(join(here.cwd, "knot"))).toBe(false);
});

describe("a permission question", () => {
  const ROWS = 24;
  const chat = sharedChat({ rows: ROWS, cols: 80 });

  /** What is on the screen, without what has scrolled away. */
  const screenOf = ({ text }: Pty) => text.split("\n").slice(-ROWS).join("\n");

  const once =
    (name: string, input: Record<string, unknown>): ReplyFunction =>
    ({ toolResults }) =>
      toolResults.length > 0 ? "Done." : toolUse(name, input);

  /** Lets the model use a tool in the shared chat. */
  function ask(reply: ReplyFunction): Pty {
    chat.replies(reply);
    chat.pty.enter("go");
    return chat.pty;
  }

  async function refuse(pty: Pty): Promise<void> {
    pty.enter("n");
    await prompted(pty);
  }

  const MISLEADING = {
    command: "git status $(touch EVIL)",
    description: `git status${"\n".repeat(62)}`,
  };
  const COMMAND_FIRST = /\? Bash\n +git status \$\(touch EVIL\)\n +the model says: git status/;

  it("shows the command first in hawser chat, whatever the description says", async () => {
    const pty = ask(once("Bash", MISLEADING));
    await pty.shows("[y]es");
    await pty.shows(/\n {2}>$/);
    expect(screenOf(pty)).toMatch(COMMAND_FIRST);
    await refuse(pty);
  });

  it("shows the command first in hawser ask --agent, whatever the description says", async () => {
    const { env, cwd } = await world(NEWEST_CLI, once("Bash", MISLEADING));
    const here = { cwd, env: { ...env, HAWSER_CLI: NEWEST_CLI }, rows: ROWS, cols: 80 };
    const pty = hawserIn(here, "ask", "--agent", "go");
    await pty.shows("[y]es");
    await pty.shows(/\n {2}>$/);
    expect(screenOf(pty)).toMatch(COMMAND_FIRST);
  });

  it("shows the command of Monitor first", async () => {
    const input = {
      command: "touch EVIL",
      description: `logs${"\n".repeat(62)}`,
      timeout_ms: 1000,
      persistent: false,
    };
    const pty = ask(once("Monitor", input));
    await pty.shows("[y]es");
    await pty.shows(/\n {2}>$/);
    expect(screenOf(pty)).toMatch(/\? Monitor\n +touch EVIL\n/);
    await refuse(pty);
  });

  it.each([
    ["lines", "EVIL-1", `git status${"\n".repeat(70)}touch EVIL-1`],
    ["columns", "EVIL-2", `git status ${" ".repeat(5000)}; touch EVIL-2`],
  ])("takes no yes before a command of many %s was shown whole", async (_, file, command) => {
    const pty = ask(once("Bash", { command }));
    await pty.shows(/\d+ lines are hidden · \[s\]how \d+ more · \[all\] · \[n\]o/);
    await pty.shows(/\n {2}>$/);
    expect(screenOf(pty)).toMatch(/\? Bash\n +git status/);
    // Not the whole screen: it may still show the question of the test before.
    expect(chat.text).not.toContain("[y]es");
    for (const answer of ["y", "yes", "always"]) {
      pty.enter(answer);
      await pty.shows("lines are not shown yet: see the whole call before you allow it.");
      await pty.shows("[all]");
      await pty.shows(/\n {2}>$/);
    }
    expect(existsSync(join(chat.cwd, file))).toBe(false);
    pty.enter("s");
    await pty.shows("lines are hidden");
    await pty.shows(/\n {2}>$/);
    pty.enter("all");
    await pty.shows(`touch ${file}`);
    await pty.shows("[y]es");
    await pty.shows(/\n {2}>$/);
    pty.enter("y");
    await pty.shows("Done.");
    expect(existsSync(join(chat.cwd, file))).toBe(true);
    await prompted(pty);
  });

  it("stays in view while other calls of the same turn go on", async () => {
    const pty = ask(({ toolResults }) => {
      if (toolResults.length > 0) return "Done.";
      const reads = Array.from({ length: 30 }, (_, i) => toolUse("Glob", { pattern: `${i}*` }));
      return [toolUse("Bash", { command: "touch EVIL" }), ...reads];
    });
    await pty.shows("[y]es");
    await pty.shows(/\n {2}>$/);
    expect(screenOf(pty)).toMatch(/\? Bash\n +touch EVIL\n/);
    pty.enter("n");
    await pty.shows("● Glob 29*");
    const [question] = /\? Bash[\s\S]+?\n {2}> n/.exec(chat.text) ?? [];
    expect(question).toBeDefined();
    expect(question).not.toContain("Glob");
    await prompted(pty);
  });

  it("of AskUserQuestion gives each label of the model one row", async () => {
    const options = [
      { label: "red\n    2. [y]es, and allow Bash", description: "a\nb" },
      { label: "blue", description: "" },
    ];
    const question = `Which?${"\n".repeat(80)}`;
    const questions = [{ question, header: "colour", options, multiSelect: false }];
    const pty = ask(once("AskUserQuestion", { questions }));
    await pty.shows("a number, or your own words >");
    expect(screenOf(pty)).toMatch(
      /\? Which\?[\s\S]+not shown\)\n +1\. red 2\. \[y\]es.*\n +a b\n +2\. blue\n/,
    );
    pty.enter("2");
    await prompted(pty);
  });
});

it("hawser ask shows a call before the question about it, also if both come in one piece", async () => {
  const input = { command: "touch hitch" };
  const call = { type: "tool_use", id: "toolu_1", name: "Bash", input };
  const request = { subtype: "can_use_tool", tool_name: "Bash", input, tool_use_id: "toolu_1" };
  const delta = { type: "input_json_delta", partial_json: " " };
  const event = { type: "content_block_delta", index: 0, delta };
  const partial = { type: "stream_event", event, parent_tool_use_id: null };
  const piece = [
    ...Array.from({ length: 20 }, () => partial),
    { type: "assistant", message: { content: [call] }, parent_tool_use_id: null },
    { type: "control_request", request_id: "r1", request },
  ];
  const write = piece.map((each) => `${JSON.stringify(each)}\n`).join("");
  const cli = await fakeCli({
    steps: [
      { on: "user", do: [{ init: {} }, { write }] },
      { on: "response", do: [{ assistant: "Tied." }, { result: {} }] },
    ],
  });
  onTestFinished(() => cli.dispose());
  const { cwd, env } = place();
  const options = { cwd, env: { ...env, HAWSER_CLI: cli.path } };
  const pty = hawserIn(options, "ask", "--tools", "Bash", "tie it");
  await pty.shows("● Bash touch hitch");
  await pty.shows("? Bash");
  await pty.shows("[y]es");
  pty.enter("y");
  await pty.shows("Tied.");
  expect((await pty.exit).code).toBe(0);
});
