import { setImmediate as nextTurn } from "node:timers/promises";
import { oneLine, printable, visibleLine } from "../../base/index.js";
import { currentFolder } from "../../process/index.js";
import type {
  Approval,
  ApprovalDecision,
  Approvals,
  PlanApproval,
  QuestionApproval,
  ToolApproval,
  UserQuestion,
} from "../../session/index.js";
import type { PermissionUpdate } from "../../wire/index.js";
import type { Terminal } from "../terminal/terminal.js";
import { breakIntoRows, wrapText } from "../terminal/wrap-text.js";
import { isNo, isYes } from "../terminal/yes-no.js";
import { callDetails } from "./tool-call-text.js";

/** Asks the user for one line; undefined if there will be no answer. */
export type AskLine = (question: string, signal: AbortSignal) => Promise<string | undefined>;

/** Asks the user each question of the approvals, one after the other, until they are closed. */
export async function askApprovals(
  approvals: Approvals,
  terminal: Terminal,
  { askLine, cwd }: { readonly askLine: AskLine; readonly cwd: string | undefined },
): Promise<void> {
  const open = new Map<string, AbortController>();
  let before: Promise<unknown> = Promise.resolve();
  for await (const change of approvals) {
    if (change.type === "asked") {
      const { approval } = change;
      const asked = new AbortController();
      open.set(approval.id, asked);
      const where = { askLine, cwd: cwd ?? currentFolder(), signal: asked.signal };
      before = before
        .then(() => answerOne(approvals, approval, terminal, where))
        // A question that cannot be shown is denied, because otherwise the CLI would wait for ever.
        .catch(() => approvals.answer(approval.id, refusalOf(approval)))
        // Otherwise the next question would be denied without being shown.
        .catch(() => undefined);
    } else if (change.type !== "missed") {
      open.get(change.id)?.abort();
      open.delete(change.id);
    }
  }
}

/** Where and how a question is asked. */
export interface Asking {
  readonly askLine: AskLine;
  /** Where the call works; undefined if its files are on another machine. */
  readonly cwd: string | undefined;
  /** Aborted when the question has been settled otherwise. */
  readonly signal: AbortSignal;
}

/** Asks the user one question, while all other output waits. Undefined if the user gives no answer. */
export async function askApproval(
  approval: Approval,
  terminal: Terminal,
  asking: Asking,
): Promise<ApprovalDecision | undefined> {
  // Messages that arrived together with the question may not be shown yet. They go first, because they say why the
  // model asks.
  await nextTurn();
  if (asking.signal.aborted) return undefined;
  terminal.hold(true);
  try {
    // The command does not set `onElicitation`, so no server can ask.
    if (approval.kind === "elicitation") return { behavior: "decline" };
    if (approval.kind === "question") return await answerQuestions(terminal, approval, asking);
    return await decideCall(terminal, approval, asking);
  } finally {
    terminal.hold(false);
  }
}

async function answerOne(
  approvals: Approvals,
  approval: Approval,
  terminal: Terminal,
  asking: Asking,
): Promise<void> {
  if (asking.signal.aborted) return;
  const decision = await askApproval(approval, terminal, asking);
  await approvals.answer(approval.id, decision ?? NO_ANSWER);
}

const NO_ANSWER: ApprovalDecision = { behavior: "deny", message: "The person gave no answer." };

function refusalOf({ kind }: Approval): ApprovalDecision {
  return kind === "elicitation" ? { behavior: "cancel" } : NO_ANSWER;
}

async function decideCall(
  terminal: Terminal,
  approval: ToolApproval | PlanApproval,
  { askLine, cwd, signal }: Asking,
): Promise<ApprovalDecision | undefined> {
  const { tool, input } = approval;
  const { style, width } = terminal;
  const always = alwaysOf(approval, width);
  const who = approval.agentId === undefined ? "" : " (a sub-agent)";
  const name = visibleLine(tool);
  const heading = breakIntoRows(name, width - INDENT);
  // A name that is cut could stand for another tool.
  if (heading.length > LONGEST_NAME) return UNREADABLE;
  for (const [place, row] of heading.entries()) {
    const end = place === heading.length - 1 ? who : "";
    terminal.tell(`${place === 0 ? style.yellow("?") : " "} ${style.bold(row + end)}`);
  }
  const rows = callDetails(tool, input, cwd).flatMap(({ text, tone }) => {
    // The continuation of a line is indented, so that it does not look like a line of its own.
    const all = breakIntoRows(text, width - INDENT - 2).map((row, i) =>
      i === 0 ? row : `  ${row}`,
    );
    return all.map((row) => (tone === undefined ? row : style[tone](row)));
  });
  // A whole page fits on the screen together with the question below it.
  const page = Math.max(terminal.height - BESIDE - heading.length, 3);
  const show = (count: number) => {
    for (const row of rows.splice(0, count)) terminal.tell(`    ${row}`);
  };
  show(page);
  for (const row of reasonRows(approval.reason, width - INDENT)) {
    terminal.tell(style.dim(`    ${row}`));
  }
  for (;;) {
    const hidden = rows.length;
    const question = wrapText(`  ${choices(hidden, page, always)}`, width);
    const said = await askLine(`${question}\n  > `, signal);
    if (said === undefined) return undefined;
    const answer = said.trim();
    const isAlways = /^a(lways)?$/i.test(answer);
    if (hidden > 0 && (isYes(answer) || isAlways)) {
      terminal.tell(
        style.yellow(
          `  ! ${linesOf(hidden)} not shown yet: see the whole call before you allow it.`,
        ),
      );
    } else if (isYes(answer)) return { behavior: "allow" };
    else if (isAlways && always.length > 0) return { behavior: "allow", scope: "session" };
    else if (isNo(answer)) {
      return { behavior: "deny", message: "The person refused this." };
    } else if (hidden > 0 && /^s(how)?$/i.test(answer)) show(page);
    else if (hidden > 0 && /^all$/i.test(answer)) show(hidden);
    // A single letter is a typing mistake, not an instruction.
    else if (answer.length > 1) {
      terminal.tell(style.dim("  Not allowed. The model gets your answer as an instruction."));
      return { behavior: "deny", message: `The person says: ${answer}` };
    }
  }
}

/** The columns that are left free on both sides. */
const INDENT = 6;

/** The rows of a question beside its details: reason, choices, answer, and some to spare. */
const BESIDE = 9;

/** In rows. The CLI's own tools, and the API, have far shorter names. */
const LONGEST_NAME = 4;

const UNREADABLE: ApprovalDecision = {
  behavior: "deny",
  message: "The name of the tool is too long to be shown to a person.",
};

/** The possible answers. A call can be allowed only after all of it was shown. */
function choices(hidden: number, page: number, always: readonly PermissionUpdate[]): string {
  if (hidden > 0) {
    const more = hidden > page ? [`[s]how ${page} more`, "[all]"] : ["[s]how"];
    return [`${linesOf(hidden)} hidden`, ...more, NO].join(" · ");
  }
  const names = always.map(nameOf).join(", ");
  return ["[y]es", ...(names === "" ? [] : [`${ALWAYS}${names}`]), NO].join(" · ");
}

const ALWAYS = "[a]lways in this session: ";
const NO = "[n]o, or say what to do instead";

function linesOf(count: number): string {
  return count === 1 ? "1 line is" : `${count.toLocaleString("en")} lines are`;
}

/** The reason that the CLI gives, cut after a few rows. */
function reasonRows(reason: string | undefined, columns: number): string[] {
  if (reason === undefined) return [];
  const rows = breakIntoRows(visibleLine(reason), columns - 1);
  const shown = rows.slice(0, LONGEST_REASON);
  if (rows.length > shown.length) shown.push(`${shown.pop()?.trimEnd()}…`);
  return shown;
}

/** In rows. */
const LONGEST_REASON = 2;

/** The rules that "always" stands for; none if they are too long to be shown whole. */
function alwaysOf(
  approval: ToolApproval | PlanApproval,
  width: number,
): readonly PermissionUpdate[] {
  const { updates = [] } = (approval.kind === "tool" ? approval.sessionGrant : undefined) ?? {};
  const rows = breakIntoRows(updates.map(nameOf).join(", "), width);
  return rows.length > LONGEST_GRANT ? [] : updates;
}

function nameOf(update: PermissionUpdate): string {
  if (update.type === "setMode")
    return MODE_NAMES[update.mode] ?? `mode ${visibleLine(update.mode)}`;
  const names =
    "directories" in update
      ? update.directories.map((folder) => `folder ${folder}`)
      : update.rules.map(({ toolName, ruleContent }) =>
          ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`,
        );
  return names.map(visibleLine).join(", ");
}

const MODE_NAMES: Readonly<Record<string, string>> = {
  acceptEdits: "all edits in this folder, and commands such as rm and mv there",
};

/** In rows. */
const LONGEST_GRANT = 2;

/** The model's own questions: by number, or in the user's own words. */
async function answerQuestions(
  terminal: Terminal,
  { questions }: QuestionApproval,
  { askLine, signal }: Asking,
): Promise<ApprovalDecision | undefined> {
  const answers: Record<string, string> = {};
  for (const { question, options, multiSelect } of questions) {
    const { style, width } = terminal;
    const rows = printable(question)
      .split("\n")
      .flatMap((line) => breakIntoRows(line, width - INDENT));
    const most = Math.max(terminal.height - BESIDE - 2 * options.length, 3);
    for (const [place, row] of rows.slice(0, most).entries()) {
      terminal.tell(`${place === 0 ? style.yellow("?") : " "} ${style.bold(row)}`);
    }
    if (rows.length > most)
      terminal.tell(style.dim(`  (${linesOf(rows.length - most)} not shown)`));
    // One row each: with a line break, a label could look like two options.
    for (const [place, { label, description }] of options.entries()) {
      terminal.tell(`    ${place + 1}. ${oneLine(label, width - INDENT - 4)}`);
      if (description)
        terminal.tell(style.dim(`       ${oneLine(description, width - INDENT - 4)}`));
    }
    const how = multiSelect
      ? "  numbers, or your own words > "
      : "  a number, or your own words > ";
    let said: string | undefined = "";
    // A stray Enter is no answer.
    while (said === "") said = (await askLine(how, signal))?.trim();
    if (said === undefined) return undefined;
    answers[question] = chosen(said, options, multiSelect);
  }
  return { behavior: "answer", answers };
}

function chosen(said: string, options: UserQuestion["options"], isMany: boolean): string {
  const labels = said.split(/[\s,]+/).map((each) => options[Number(each) - 1]?.label);
  const isNumbers = labels.every((label) => label !== undefined);
  return isNumbers && (isMany || labels.length === 1) ? labels.join(", ") : said;
}
