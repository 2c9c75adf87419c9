import { columnsOf, oneLine } from "../base/index.js";
import type { CouncilReport } from "./council-report.js";
import type { CouncilVote } from "./council-vote.js";
import type { JoinedFinding } from "./join-findings.js";
import type { Severity } from "./vote.js";

export interface FormatOptions {
  /**
   * The width of the banner in columns, at least 30.
   * @default 52
   */
  readonly width?: number;
}

/**
 * The report as Markdown, laid out as in MAGI: a banner with the votes, then findings, dissent, conditions and
 * recommendations. What models have written is on one line each, without characters that control a terminal.
 *
 * @example
 * ```ts
 * import { council, DEFAULT_REVIEWERS, formatReport } from "hawser/council";
 *
 * const { report } = council({ reviewers: DEFAULT_REVIEWERS, subject: "A plan." });
 * process.stdout.write(formatReport(await report));
 * ```
 */
export function formatReport(
  report: CouncilReport<unknown>,
  { width = 52 }: FormatOptions = {},
): string {
  const { votes, absences, findings, dissent, conditions } = report;
  const recommended = votes.filter(({ recommendation }) => recommendation.trim() !== "");
  const parts = [
    banner(report, Math.max(width, NARROWEST)),
    section("Key Findings", findings.flatMap(findingLines)),
    section(
      "Dissenting Opinion",
      dissent.map(({ reviewer, summary }) => said(reviewer, summary)),
    ),
    section(
      "Conditions for Approval",
      conditions.map(({ reviewer, condition }) => `- ${said(reviewer, condition)}`),
    ),
    section(
      "Recommended Actions",
      recommended.map(({ reviewer, recommendation }) => `- ${said(reviewer, recommendation)}`),
    ),
    section(
      "Absent Reviewers",
      absences.map(
        ({ reviewer, error }) => `- ${said(reviewer, `${error.code}. ${error.message}`)}`,
      ),
    ),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

const NARROWEST = 30;

function banner({ label, votes, absences }: CouncilReport<unknown>, width: number): string {
  const seats = [
    ...votes.map(({ reviewer, verdict, confidence }) => {
      return [reviewer, ` ${WORDS[verdict]} (${Math.round(confidence * 100)}%)`] as const;
    }),
    ...absences.map(({ reviewer }) => [reviewer, " ABSENT"] as const),
  ];
  const inner = width - 2;
  const widest = Math.max(...seats.map(([name]) => columnsIn(name)));
  const seatLine = ([name, word]: (typeof seats)[number]) => {
    // If there is too little room, the name is cut, and not the vote.
    const room = Math.min(widest, inner - INDENT - 1 - word.length);
    return `${padded(`${oneLine(name, room)}:`, room + 1)}${word}`;
  };
  const row = (text: string) => `|${padded(" ".repeat(INDENT) + text, inner)}|`;
  const rule = `+${"=".repeat(inner)}+`;
  return [
    rule,
    row("COUNCIL -- VERDICT"),
    rule,
    ...seats.map((seat) => row(seatLine(seat))),
    rule,
    row(oneLine(`CONSENSUS: ${label}`, inner - INDENT)),
    rule,
  ].join("\n");
}

const INDENT = 2;

const WORDS: Readonly<Record<CouncilVote["verdict"], string>> = {
  approve: "APPROVE",
  approve_with_conditions: "CONDITIONAL",
  reject: "REJECT",
  abstain: "ABSTAIN",
};

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [`## ${title}`, "", ...lines].join("\n");
}

function findingLines(finding: JoinedFinding): string[] {
  const { severity, title, detail, suggestion, reviewers } = finding;
  const mark = padded(MARKS[severity], MARK_WIDTH);
  const word = padded(`**[${severity.toUpperCase()}]**`, WORD_WIDTH);
  const names = reviewers.map((name) => oneLine(name, LONG)).join(", ");
  // So deep that a line in a block of code in Markdown cannot end the block.
  const margin = " ".repeat(MARK_WIDTH + 1);
  return [
    `${mark} ${word} ${placeOf(finding)}${oneLine(title, LONG)} _(from ${names})_`,
    `${margin}${oneLine(detail, LONG)}`,
    ...(suggestion === undefined ? [] : [`${margin}Suggestion: ${oneLine(suggestion, LONG)}`]),
  ];
}

/** The columns of MAGI's report. */
const MARK_WIDTH = 5;
const WORD_WIDTH = 14;

const MARKS: Readonly<Record<Severity, string>> = {
  critical: "[!!!]",
  warning: "[!!]",
  info: "[i]",
};

function placeOf({ file = "", line }: JoinedFinding): string {
  if (file === "") return "";
  return `${oneLine(file, LONG)}${line === undefined ? "" : `:${line}`}: `;
}

function said(reviewer: string, text: string): string {
  return `**${oneLine(reviewer, LONG)}**: ${oneLine(text, LONG)}`;
}

const LONG = 2_000;

function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsIn(text)));
}

function columnsIn(text: string): number {
  return [...text].reduce((sum, letter) => sum + columnsOf(letter), 0);
}
