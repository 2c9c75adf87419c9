import { printable } from "../../base/index.js";
import type { Style } from "../terminal/terminal.js";
import { wrapText } from "../terminal/wrap-text.js";
import type { Finding, Level } from "./finding.js";

/** The findings in columns, each with its remedy below. `width` is that of the terminal, if there is one. */
export function formatReport(
  findings: readonly Finding[],
  style: Style,
  width: number = Number.POSITIVE_INFINITY,
): string {
  const first = Math.max(...findings.map(({ id }) => id.length));
  const indent = " ".repeat(first + 6);
  const lines = findings.flatMap(({ id, level, message, remedy }) => {
    const [mark, colour] = MARKS[level];
    const wrapped = (text: string) => wrapText(printable(text), width - indent.length).split("\n");
    const [head = "", ...rest] = wrapped(message);
    const below = remedy === undefined ? [] : wrapped(remedy);
    return [
      `  ${style[colour](mark)} ${id.padEnd(first)}  ${head}`,
      ...rest.map((line) => `${indent}${line}`),
      ...below.map((line) => `${indent}${style.dim(line)}`),
    ];
  });
  return `${[...lines, "", summary(findings, style)].join("\n")}\n`;
}

const MARKS: Readonly<Record<Level, readonly [string, keyof Style]>> = {
  ok: ["✓", "green"],
  note: ["·", "dim"],
  warning: ["!", "yellow"],
  problem: ["✗", "red"],
};

function summary(findings: readonly Finding[], style: Style): string {
  const problems = countLevel(findings, "problem");
  const warnings = countLevel(findings, "warning");
  const [first, colour] =
    problems === 0
      ? (["No problems", "green"] as const)
      : ([problems === 1 ? "1 problem" : `${problems} problems`, "red"] as const);
  const rest = warnings === 0 ? "" : warnings === 1 ? ", 1 warning" : `, ${warnings} warnings`;
  return `${style[colour](`${first}${rest}.`)}`;
}

export function countLevel(findings: readonly Finding[], level: Level): number {
  return findings.filter((each) => each.level === level).length;
}
