import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { oneLine, printable, type Style, visible } from "../../src/bin/terminal.js";
import { callDetails } from "../../src/bin/tool-view.js";
import { hawserIn, place } from "../support/pty.js";

const PLAIN = new Proxy({}, { get: () => (text: string) => text }) as Style;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "hawser-details-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function details(input: unknown, cwd = "/"): string[] {
  return callDetails(input, cwd, PLAIN);
}

describe("what a person is shown of a call", () => {
  it("is all of it, whatever tool it is", () => {
    const sandbox = { command: "ls\nrm x", description: "Lists", dangerouslyDisableSandbox: true };
    expect(details(sandbox)).toEqual(["Lists", "ls", "rm x", "dangerouslyDisableSandbox: true"]);
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
      ...["notebook_path: n", "new_source: a", "  b", "edit_mode: insert"],
    ]);
    const long = details({ list: Array.from({ length: 100 }, () => 1) });
    expect(long).toHaveLength(102);
  });

  it("has a sign for every character that would not be seen", () => {
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
      "(without a line break at the end)",
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
      expect(told(path)).toEqual([path, "(there is something that is no file)", "+ x"]);
    }
    expect(told("binary")[1]).toBe("(in place of a binary file)");
    expect(told("huge")[1]).toBe("(in place of a file of 3,000,000 bytes)");
    expect(told("binary/x")[1]).toBe("(what is there cannot be read: ENOTDIR)");
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
  await pty.shows("The person says: no, tie it first");
  expect((await pty.exit).code).toBe(0);
  expect(existsSync(join(here.cwd, "knot"))).toBe(false);
});
