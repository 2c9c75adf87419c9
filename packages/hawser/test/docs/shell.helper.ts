import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "../support/folders.js";
import { HAWSER } from "../support/pty.js";
import { at, type Block } from "./page.helper.js";

/** The commands of `hawser`. */
export const COMMANDS: readonly string[] = [
  "ask",
  "chat",
  "council",
  "doctor",
  "sessions",
  "explain",
  "serve",
  "inspect",
  "submit",
  "runs",
  "approve",
  "worker",
  "fleet",
  "demo",
];

const NPM_COMMANDS = ["ci", "install", "test"];

/** What a block of shell starts that does not exist. */
export function shellProblems(block: Block): string[] {
  return block.code.split("\n").flatMap((line, index) => {
    const place = at({ page: block.page, line: block.line + index });
    return commandsIn(line).flatMap((words) => problemOf(words).map((told) => `${place}: ${told}`));
  });
}

function commandsIn(line: string): string[][] {
  // What stands in quotes is no flag.
  const bare = line.replace(/"[^"]*"|'[^']*'/g, "…");
  const parts = bare.replace(/(^|\s)#.*$/, "").split(/\s*(?:&&|\|\||[|;])\s*/);
  return parts.map((part) =>
    part
      .trim()
      .split(/\s+/)
      .filter((word) => !/^[A-Z_]+=/.test(word)),
  );
}

function problemOf([program, ...words]: string[]): string[] {
  if (program === "npx") return problemOf(words);
  const [first = ""] = words;
  if (program === "hawser") return hawserProblems(first, words);
  if (program !== "npm" || NPM_COMMANDS.includes(first)) return [];
  const script =
    first === "run" ? (words.find((word, i) => i > 0 && !word.startsWith("-")) ?? "") : first;
  return script in scripts() ? [] : [`package.json has no script "${script}"`];
}

/** The options are those that the help of the command names. */
function hawserProblems(name: string, words: readonly string[]): string[] {
  if (!COMMANDS.includes(name)) return [`hawser has no "${name}"`];
  const flags = words.flatMap((word) => /^--?[a-zA-Z][\w-]*/.exec(word)?.[0] ?? []);
  const known: string[] = helpOf(name).match(/(?<=[\s,])--?[a-zA-Z][\w-]*/g) ?? [];
  return flags
    .filter((flag) => !known.includes(flag))
    .map((flag) => `hawser ${name} has no ${flag}`);
}

const helps = new Map<string, string>();

function helpOf(name: string): string {
  const known = helps.get(name);
  if (known !== undefined) return known;
  const help = execFileSync(process.execPath, [HAWSER, name, "--help"], { encoding: "utf8" });
  const options = help.slice(help.indexOf("\nOptions\n"));
  helps.set(name, options);
  return options;
}

function scripts(): object {
  return JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")).scripts;
}
