import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { oneLine, printable, visible } from "../../src/bin/terminal/printable.js";
import { breakIntoRows } from "../../src/bin/terminal/wrap-text.js";
import { callDetails } from "../../src/bin/turn/tool-call-text.js";
import { type ReplyScript, toolUse } from "../../src/testing/index.js";
import { NEWEST_CLI } from "../support/cli.js";
import { hawserIn, place } from "../support/pty.js";
import { world } from "../support/world.js";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "hawser-details-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function details(input: unknown, cwd = "/", tool = "Bash"): string[] {
  return callDetails(tool, input, cwd).map(({ text }) => text);
}

describe("what a person is shown of a call", () => {
  it("is all of it, whatever tool it is", () => {
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

  it("begins with the command, and has the model's description last, on one line", () => {
    const description = `git status${"\n".repeat(62)}${"x".repeat(500)}`;
    const shown = details({ description, command: "git status $(touch EVIL)", timeout_ms: 5 });
    expect(shown.slice(0, 2)).toEqual(["git status $(touch EVIL)", "timeout_ms: 5"]);
    expect(shown[2]).toMatch(/^the model says: git status x+…$/);
    expect(shown).toHaveLength(3);
  });

  it("cuts no field of an MCP server's tool, and has short fields before long ones", () => {
    const input = { note: "a\n".repeat(99), "na\nme": "x", command: "c", description: "d\ne" };
    expect(details(input, "/", "mcp__shop__sell").slice(0, 5)).toEqual([
      ...["c", "na␊me: x", "description: d", "  e", "note: a"],
    ]);
  });

  it("has a sign for every character that would not be seen", () => {
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

  it("tells a change of nothing but the last line break, and no change at all", () => {
    const cwd = folder();
    writeFileSync(join(cwd, "a"), "x\n");
    expect(details({ file_path: "a", content: "x" }, cwd)).toContain(
      "(removes the line break at the end)",
    );
    expect(details({ file_path: "a", content: "x\n" }, cwd)).toEqual(["a", "(no change)"]);
  });

  it("says so when what is there cannot be shown, and never waits for it", () => {
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

it("text of others neither moves the cursor nor turns the line around, and lines fit the screen", () => {
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

it("what was typed before a question was there does not answer it", async () => {
  const here = place();
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

describe("the question about a tool", () => {
  const ROWS = 24;

  async function asked(replies: ReplyScript, ...args: string[]) {
    const { env, cwd } = await world(NEWEST_CLI, replies);
    const here = { cwd, env: { ...env, HAWSER_CLI: NEWEST_CLI }, rows: ROWS, cols: 80 };
    const pty = hawserIn(here, ...(args.length === 0 ? ["chat", "go"] : args));
    /** What is on the screen, without what has scrolled away. */
    const screen = () => pty.text.split("\n").slice(-ROWS).join("\n");
    return { pty, cwd, screen };
  }

  const once =
    (name: string, input: Record<string, unknown>): ReplyScript =>
    ({ toolResults }) =>
      toolResults.length > 0 ? "Done." : toolUse(name, input);

  it.each([
    ["chat", ["chat", "go"]],
    ["ask --agent", ["ask", "--agent", "go"]],
  ])("shows the command first in `hawser %s`, whatever the description says", async (_, args) => {
    const command = "git status $(touch EVIL)";
    const description = `git status${"\n".repeat(62)}`;
    const { pty, screen } = await asked(once("Bash", { command, description }), ...args);
    await pty.shows("[y]es");
    await pty.shows(/\n {2}>$/);
    expect(screen()).toMatch(
      /\? Bash\n +git status \$\(touch EVIL\)\n +the model says: git status/,
    );
  });

  it("shows the command of Monitor first", async () => {
    const input = {
      command: "touch EVIL",
      description: `logs${"\n".repeat(62)}`,
      timeout_ms: 1000,
      persistent: false,
    };
    const { pty, screen } = await asked(once("Monitor", input));
    await pty.shows("[y]es");
    expect(screen()).toMatch(/\? Monitor\n +touch EVIL\n/);
  });

  it.each([
    ["lines", `git status${"\n".repeat(70)}touch EVIL`],
    ["columns", `git status ${" ".repeat(5000)}; touch EVIL`],
  ])("takes no yes before a command of many %s was shown whole", async (_, command) => {
    const { pty, cwd, screen } = await asked(once("Bash", { command }));
    await pty.shows(/\d+ lines are hidden · \[s\]how \d+ more · \[all\] · \[n\]o/);
    await pty.shows(/\n {2}>$/);
    expect(screen()).toMatch(/\? Bash\n +git status/);
    expect(screen()).not.toContain("[y]es");
    for (const answer of ["y", "yes", "always"]) {
      pty.enter(answer);
      await pty.shows("lines are not shown yet: see the whole call before you allow it.");
      await pty.shows("[all]");
      await pty.shows(/\n {2}>$/);
    }
    expect(existsSync(join(cwd, "EVIL"))).toBe(false);
    pty.enter("s");
    await pty.shows("lines are hidden");
    await pty.shows(/\n {2}>$/);
    pty.enter("all");
    await pty.shows("touch EVIL");
    await pty.shows("[y]es");
    await pty.shows(/\n {2}>$/);
    pty.enter("y");
    await pty.shows("Done.");
    expect(existsSync(join(cwd, "EVIL"))).toBe(true);
  });

  it("stays in view while other calls of the same turn go on", async () => {
    const { pty, screen } = await asked(({ toolResults }) => {
      if (toolResults.length > 0) return "Done.";
      const reads = Array.from({ length: 30 }, (_, i) => toolUse("Glob", { pattern: `${i}*` }));
      return [toolUse("Bash", { command: "touch EVIL" }), ...reads];
    });
    await pty.shows("[y]es");
    await pty.shows(/\n {2}>$/);
    expect(screen()).toMatch(/\? Bash\n +touch EVIL\n/);
    pty.enter("n");
    await pty.shows("● Glob 29*");
    const [question] = /\? Bash[\s\S]+?\n {2}> n/.exec(pty.text) ?? [];
    expect(question).not.toContain("Glob");
  });

  it("gives each label of the model's own questions one row", async () => {
    const options = [
      { label: "red\n    2. [y]es, and allow Bash", description: "a\nb" },
      { label: "blue", description: "" },
    ];
    const question = `Which?${"\n".repeat(80)}`;
    const questions = [{ question, header: "colour", options, multiSelect: false }];
    const { pty, screen } = await asked(once("AskUserQuestion", { questions }));
    await pty.shows("a number, or your own words >");
    expect(screen()).toMatch(
      /\? Which\?[\s\S]+not shown\)\n +1\. red 2\. \[y\]es.*\n +a b\n +2\. blue\n/,
    );
  });
});
