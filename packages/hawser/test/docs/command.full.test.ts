import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SCRIPTED_PROMPTS } from "../../src/bin/offline/scripted-model.js";
import { REPOSITORY } from "../support/folders.js";
import { HAWSER } from "../support/pty.js";
import { COMMANDS } from "./shell.helper.js";

const PAGE = pageOf("docs/command.md");
const PAGE_OF_PACKAGES = pageOf("docs/command-packages.md");

function pageOf(name: string): string {
  return readFileSync(join(REPOSITORY, name), "utf8");
}

it.each(COMMANDS)("one of the pages of the command contains the help of hawser %s", (name) => {
  const help = execFileSync(process.execPath, [HAWSER, name, "--help"], { encoding: "utf8" });
  const needsPackage = help.includes("This command needs");
  expect(needsPackage ? PAGE_OF_PACKAGES : PAGE).toContain(`\`\`\`text\n${help}\`\`\``);
});

it("docs/command.md lists the prompts that the simulated model knows", () => {
  for (const [words, what] of SCRIPTED_PROMPTS)
    expect(PAGE).toContain(`| \`${words}\` | ${what} |`);
});

it("the pages of the command have every command, each with --json", () => {
  const overview = execFileSync(process.execPath, [HAWSER, "--help"], { encoding: "utf8" });
  const listed = [...overview.matchAll(/^ {2}hawser (\w+) {2,}/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual([...COMMANDS].sort());
  const pages = [PAGE, PAGE_OF_PACKAGES];
  const sections = pages
    .flatMap((page) => page.split(/^## /m))
    .filter((part) => part.includes("```text"));
  expect(sections.filter((part) => !part.includes("--json"))).toEqual([]);
});
