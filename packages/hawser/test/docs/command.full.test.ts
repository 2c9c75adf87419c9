import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SCRIPTED_PROMPTS } from "../../src/bin/offline/scripted-model.js";
import { REPOSITORY } from "../support/folders.js";
import { HAWSER } from "../support/pty.js";
import { COMMANDS } from "./shell.helper.js";

const PAGE = readFileSync(join(REPOSITORY, "docs/command.md"), "utf8");

it.each(COMMANDS)("docs/command.md contains the help of hawser %s", (name) => {
  const help = execFileSync(process.execPath, [HAWSER, name, "--help"], { encoding: "utf8" });
  expect(PAGE).toContain(`\`\`\`text\n${help}\`\`\``);
});

it("docs/command.md lists the prompts that the simulated model knows", () => {
  for (const [words, what] of SCRIPTED_PROMPTS)
    expect(PAGE).toContain(`| \`${words}\` | ${what} |`);
});

it("docs/command.md has every command, each with --json", () => {
  const overview = execFileSync(process.execPath, [HAWSER, "--help"], { encoding: "utf8" });
  const listed = [...overview.matchAll(/^ {2}hawser (\w+) {2,}/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual([...COMMANDS].sort());
  const sections = PAGE.split(/^## /m).filter((part) => part.includes("```text"));
  expect(sections.filter((part) => !part.includes("--json"))).toEqual([]);
});
