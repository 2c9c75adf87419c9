import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { chatSuggestions } from "../../src/bin/chat/chat-suggestions.js";
import { completeWord, suggestionList } from "../../src/bin/terminal/input/suggestions.js";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "hawser-completion-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  mkdirSync(join(path, "src"));
  mkdirSync(join(path, "sea charts"));
  for (const file of [
    "README.md",
    "read.txt",
    ".hidden",
    "src/knot.ts",
    "bad\nname",
    "sea charts/a b",
  ]) {
    writeFileSync(join(path, file), "");
  }
  symlinkSync("src", join(path, "link"));
  symlinkSync("nowhere", join(path, "lost"));
  return path;
}

/** The text after Tab at `|`, with `|` for the cursor, and the choices that are shown. */
function tab(
  typed: string,
  cwd = "/nowhere",
): { text: string; choices: readonly string[] } | undefined {
  const cursor = typed.indexOf("|");
  const text = typed.replace("|", "");
  const known = {
    commands: ["model", "mode", "help", "compact"],
    values: { model: ["default", "sonnet", "opus"], mode: ["plan", "default"] },
    cwd,
  };
  const found = completeWord(
    text,
    cursor,
    chatSuggestions(() => known),
  );
  if (found === undefined) return undefined;
  const start = text.slice(0, found.from) + found.text;
  return { text: `${start}|${text.slice(cursor)}`, choices: found.choices };
}

describe("Tab in hawser chat", () => {
  it.each([
    ["/he|", "/help |", []],
    ["/m|", "/mode|", ["/mode", "/model"]],
    ["/mode|", "/mode|", ["/mode", "/model"]],
    ["/|", "/|", ["/compact", "/help", "/mode", "/model"]],
    ["/model so|", "/model sonnet |", []],
    ["/model so| x", "/model sonnet| x", []],
    ["/mode |", "/mode |", ["default", "plan"]],
  ])("completes %s to %s", (typed, text, choices) => {
    expect(tab(typed)).toEqual({ text, choices });
  });

  it.each([
    ["hello|"],
    ["|"],
    ["say /he|"],
    ["/model nothing|"],
    ["/help so|"],
    ["@nothing|"],
    ["./nothing/no|"],
  ])("does nothing at %s", (typed) => expect(tab(typed, folder())).toBeUndefined());

  it.each([
    ["see @REA|", "see @README.md |", []],
    ["@sr|", "@src/|", []],
    ["@src/|", "@src/knot.ts |", []],
    ["look at src/k|", "look at src/knot.ts |", []],
    ["./li|", "./link/|", []],
    ["@./.h|", "@./.hidden |", []],
    ["@lost|", "@lost |", []],
    ["./re|", "./read.txt |", []],
    ["@s|", '@"s|', ['@"sea charts/', '@"src/']],
    ['@"sea charts/|', '@"sea charts/a b" |', []],
  ])("completes the path in %s", (typed, text, choices) => {
    expect(tab(typed, folder())).toEqual({ text, choices });
  });

  it("completes a word that begins no command as a path, and never offers names that cannot be typed", () => {
    expect(tab("/et|")?.text).toBe("/etc/|");
    expect(tab("@|", folder())?.choices).not.toContainEqual(expect.stringContaining("bad"));
  });
});

it("listOf() fits the screen, and prints how many choices it omits", () => {
  const names = Array.from({ length: 100 }, (_, i) => `name${i}`);
  const rows = suggestionList(names, 40).split("\n");
  expect(rows.every((row) => row.length <= 40 && /^ {2}\S/.test(row))).toBe(true);
  expect(rows.join(" ")).toMatch(/name59 +and 40 more$/);
});
