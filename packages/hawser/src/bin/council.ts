import { resolve } from "node:path";
import { type ErrorCode, HawserError } from "../base/index.js";
import {
  type CouncilOptions,
  type CouncilReport,
  DEFAULT_REVIEWERS,
  formatReport,
  council as hold,
  RULE_NAMES,
  type RuleName,
} from "../council/index.js";
import type { Options } from "../options/index.js";
import { createPool } from "../pool/index.js";
import { currentFolder, shutdown } from "../process/index.js";
import { countOf, dollarsOf, durationOf } from "./command/call-flags.js";
import { type Command, defineCommand } from "./command/define-command.js";
import { type Flags, type Given, usageError } from "./command/flags.js";
import { follow } from "./council/follow.js";
import { readReviewers } from "./council/read-reviewers.js";
import { readSubject } from "./council/read-subject.js";
import { describeWorld, loadOfflineWorld } from "./offline/load-offline-world.js";
import { Interrupts } from "./terminal/interrupts.js";
import { Terminal } from "./terminal/terminal.js";
import { wrapText } from "./terminal/wrap-text.js";

const FLAGS = {
  range: {
    value: "range",
    help: "A range of commits, such as main...HEAD (default: since the last commit)",
  },
  task: {
    value: "text",
    help: "What the reviewers are asked (default: whether to accept the change)",
  },
  reviewers: { value: "file", help: "Use the reviewers in this JSON file (default: three)" },
  rule: { value: "name", help: "veto, majority, weighted, unanimous or magi (default: veto)" },
  quorum: { value: "n", help: "How many reviewers must vote (default: more than half)" },
  rounds: {
    value: "n",
    help: "1 or 2; with 2, reviewers read each other's votes and vote again (default: 1)",
  },
  model: { short: "m", value: "name", help: "Model of all reviewers, such as sonnet" },
  tools: {
    short: "t",
    value: "names",
    help: "Tools that the reviewers use without a question, such as Read,Grep",
  },
  budget: { value: "dollars", help: "The most that one reviewer may spend" },
  timeout: { value: "time", help: "Time limit of a reviewer, such as 90s or 5m (default: 5m)" },
  cwd: { short: "C", value: "folder", help: "The repository (default: the current folder)" },
  cli: {
    value: "path",
    help: "Path of the claude executable (default: HAWSER_CLI, else a search)",
  },
  offline: { help: "Use a simulated model: no account, no network" },
  json: { help: "Print the report as one JSON object" },
  quiet: { short: "q", help: "Print only the report" },
} as const satisfies Flags;

export const council: Command = defineCommand({
  name: "council",
  summary: "Let several AI reviewers judge a change; the exit code is their verdict",
  usage: ["[options]", "[options] --range main...HEAD", "[options] < text"],
  examples: [
    ["hawser council", "Review the changes of this repository since its last commit"],
    ["hawser council --range main...HEAD", "Review a branch"],
    [
      "hawser council --rule unanimous -t Read,Grep",
      "Pass only if no reviewer rejects; reviewers may read files",
    ],
    ["hawser council --json < plan.md", "Review a text, for a script"],
    ["hawser council --offline", "Try it without an account"],
  ],
  flags: FLAGS,
  words: 0,
  notes: `Without --reviewers, there are three: correctness, security and simplicity. Each votes alone.
With the rule veto, one critical finding rejects the change; otherwise the majority decides. The
file docs/council.md in the package explains all rules and the format of --reviewers.
New files that Git does not track are left out: add them first.
Reviewers are told to treat the change as data. Text in it can still mislead a model, so give
them only the tools that they need. Read, Grep and Glob read only in the repository; Bash runs any
command. A reviewer that fails casts no vote.
Exit codes: 0 pass, 1 reject, 2 no verdict because too few reviewers voted. If no reviewer can
start or log in, the exit code is that of the error.`,
  run: async ({ flags }) => {
    const terminal = new Terminal({ quiet: flags.quiet || flags.json });
    const cwd = flags.cwd === undefined ? currentFolder() : resolve(flags.cwd);
    const options = optionsOf(flags);
    const calls = callOptions(flags, cwd);
    const subject = await readSubject(flags.range, cwd, (text) => terminal.warn(text));
    const interrupts = new Interrupts(terminal);
    const world = flags.offline ? await loadOfflineWorld({ cliPath: flags.cli }) : undefined;
    if (world !== undefined) terminal.note(terminal.style.dim(describeWorld(world)));
    const pool = createPool({ size: { max: options.reviewers.length } });
    try {
      const { signal } = interrupts;
      const work = hold({
        ...options,
        subject,
        pool,
        signal,
        options: { ...calls, ...world?.options },
      });
      const report = await follow(work, options.reviewers, terminal);
      if (signal.aborted) throw new HawserError("aborted");
      throwIfNoneCould(report);
      show(report, flags, terminal);
      return EXIT_CODES[report.verdict];
    } finally {
      interrupts.close();
      await pool.close();
      await shutdown();
      await world?.dispose();
    }
  },
});

type CouncilFlags = Given<typeof FLAGS>;

const EXIT_CODES: Readonly<Record<CouncilReport["verdict"], number>> = {
  pass: 0,
  reject: 1,
  none: 2,
};

function optionsOf(flags: CouncilFlags): Omit<CouncilOptions, "subject"> {
  const { rule = "veto", quorum, rounds, timeout, task = TASK } = flags;
  if (!RULE_NAMES.some((name) => name === rule)) {
    throw usageError(`--rule must be one of ${RULE_NAMES.join(", ")}.`);
  }
  if (rounds !== undefined && rounds !== "1" && rounds !== "2") {
    throw usageError("--rounds must be 1 or 2.");
  }
  const reviewers =
    flags.reviewers === undefined ? DEFAULT_REVIEWERS : readReviewers(flags.reviewers);
  const tools = flags.tools?.split(/[\s,]+/).filter((tool) => tool !== "");
  return {
    reviewers: reviewers.map((reviewer) => ({
      ...reviewer,
      ...(flags.model === undefined ? {} : { model: flags.model }),
      ...(tools === undefined ? {} : { tools }),
    })),
    task,
    rule: rule as RuleName,
    ...(quorum === undefined ? {} : { quorum: countOf("--quorum", quorum) }),
    ...(rounds === undefined ? {} : { rounds: Number(rounds) as 1 | 2 }),
    ...(timeout === undefined
      ? {}
      : { timeouts: { reviewerMs: durationOf("--timeout", timeout) } }),
  };
}

const TASK = "Judge whether this change should be accepted.";

function callOptions({ budget, cli }: CouncilFlags, cwd: string): Options {
  return {
    cwd,
    ...(cli === undefined ? {} : { cliPath: cli }),
    ...(budget === undefined ? {} : { maxBudgetUsd: dollarsOf("--budget", budget) }),
  };
}

/**
 * Fails as every reviewer has failed, if no reviewer could work at all: without the CLI or a login, for example. Then
 * the set-up is wrong, and it says nothing about the subject.
 */
function throwIfNoneCould({ votes, absences }: CouncilReport<unknown>): void {
  const [first] = absences;
  if (votes.length > 0 || first === undefined) return;
  const { error } = first;
  const isSame = absences.every((each) => each.error.code === error.code);
  if (isSame && OF_SETUP.has(error.code)) throw error;
}

const OF_SETUP: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "cli_not_found",
  "cli_not_runnable",
  "unsupported_by_cli",
  "not_supported",
  "cwd_not_found",
  "root_refused",
  "nested_session",
  "spawn_failed",
  "auth",
  "billing",
  "model_not_found",
]);

/** The width of the banner where there is room. */
const BANNER_WIDTH = 52;

function show(report: CouncilReport<unknown>, { json }: CouncilFlags, terminal: Terminal): void {
  if (json) {
    const absences = report.absences.map(({ error, ...absence }) => {
      const { code, message, hint } = error;
      return { ...absence, error: { code, message, hint } };
    });
    terminal.write(`${JSON.stringify({ ...report, absences })}\n`);
    return;
  }
  const { isShown, width } = terminal;
  const text = formatReport(report, isShown && width < BANNER_WIDTH ? { width } : {});
  terminal.write(isShown ? wrapText(text, width) : text);
  const cost = report.costUsd === undefined ? "cost unknown" : `$${report.costUsd.toFixed(2)}`;
  terminal.note(terminal.style.dim(`${cost} · ${(report.ms / 1000).toFixed(1)} s`));
}
