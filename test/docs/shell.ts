import { readFileSync } from "node:fs";
import { join } from "node:path";
import { at, type Block, ROOT } from "./page.js";

/** The commands of `hawser`. */
const COMMANDS = ["ask", "chat", "doctor", "sessions", "explain", "demo"];

const NPM_COMMANDS = ["ci", "install", "test"];

/** What a block of shell starts that does not exist. */
export function shellProblems(block: Block): string[] {
  return block.code.split("\n").flatMap((line, index) => {
    const place = at({ page: block.page, line: block.line + index });
    return commandsIn(line).flatMap((words) => problemOf(words).map((told) => `${place}: ${told}`));
  });
}

function commandsIn(line: string): string[][] {
  const parts = line.replace(/(^|\s)#.*$/, "").split(/\s*(?:&&|\|\||[|;])\s*/);
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
  if (program === "hawser") return COMMANDS.includes(first) ? [] : [`hawser has no "${first}"`];
  if (program !== "npm" || NPM_COMMANDS.includes(first)) return [];
  const script =
    first === "run" ? (words.find((word, i) => i > 0 && !word.startsWith("-")) ?? "") : first;
  return script in scripts() ? [] : [`package.json has no script "${script}"`];
}

function scripts(): object {
  return JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts;
}
