import { oneLine, printable, visibleLine } from "../../base/index.js";
import type { CanUseTool, CanUseToolContext } from "../../options/index.js";
import type { PermissionResult, PermissionUpdate } from "../../wire/index.js";
import type { Terminal } from "../terminal/terminal.js";
import { breakIntoRows, wrapText } from "../terminal/wrap-text.js";
import { isNo, isYes } from "../terminal/yes-no.js";
import { callDetails } from "./tool-call-text.js";

/** Asks the user for one line; undefined if there will be no answer. */
export type AskLine = (question: string, signal: AbortSignal) => Promise<string | undefined>;

/** Asks the user about each call that needs approval, one after the other. */
export function askPermission(terminal: Terminal, cwd: () => string, askLine: AskLine): CanUseTool {
  let before: Promise<unknown> = Promise.resolve();
  return (tool, input, context) => {
    const answer = before.then(() => {
      if (context.signal.aborted) return NO_ANSWER;
      terminal.hold(true);
      return tool === "AskUserQuestion"
        ? answerQuestions(terminal, input, context, askLine)
        : decide(terminal, { tool, input, context, cwd: cwd() }, askLine);
    });
    const held = answer.finally(() => terminal.hold(false));
    before = held.catch(() => {});
    return answer;
  };
}

const NO_ANSWER: PermissionResult = { behavior: "deny", message: "The person gave no answer." };

interface Call {
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly context: CanUseToolContext;
  readonly cwd: string;
}

async function decide(terminal: Terminal, call: Call, askLine: AskLine): Promise<PermissionResult> {
  const { tool, input, context, cwd } = call;
  const { style, width } = terminal;
  const always = alwaysOf(context, width);
  const who = context.agentID === undefined ? "" : " (a sub-agent)";
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
  for (const row of reasonRows(context.decisionReason, width - INDENT)) {
    terminal.tell(style.dim(`    ${row}`));
  }
  for (;;) {
    const hidden = rows.length;
    const question = wrapText(`  ${choices(hidden, page, always)}`, width);
    const said = await askLine(`${question}\n  > `, context.signal);
    if (said === undefined) return NO_ANSWER;
    const answer = said.trim();
    const isAlways = /^a(lways)?$/i.test(answer);
    if (hidden > 0 && (isYes(answer) || isAlways)) {
      terminal.tell(
        style.yellow(
          `  ! ${linesOf(hidden)} not shown yet: see the whole call before you allow it.`,
        ),
      );
    } else if (isYes(answer)) return { behavior: "allow", updatedInput: input };
    else if (isAlways && always.length > 0) {
      return { behavior: "allow", updatedInput: input, updatedPermissions: always };
    } else if (isNo(answer)) {
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

const UNREADABLE: PermissionResult = {
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

/** The grants that "always" stands for, all limited to this session. */
function alwaysOf(context: CanUseToolContext, width: number): PermissionUpdate[] {
  const { suggestions = [], suppressAlwaysAllowRule } = context;
  if (suppressAlwaysAllowRule === true) return [];
  const rules = suggestions.filter((each) => each.type === "addRules" && each.behavior === "allow");
  // A mode grants more than calls like this one, so it is offered only if there is nothing narrower.
  const wide = suggestions.filter(({ type }) => type === "setMode" || type === "addDirectories");
  const granted = rules.length > 0 ? rules : wide;
  // A grant that is too long to be shown whole is not offered.
  if (breakIntoRows(granted.map(nameOf).join(", "), width).length > LONGEST_GRANT) return [];
  return granted.map((update): PermissionUpdate => ({ ...update, destination: "session" }));
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

interface Question {
  readonly question: string;
  readonly multiSelect?: boolean;
  readonly options?: readonly { readonly label: string; readonly description?: string }[];
}

/** The model's own questions: by number, or in the user's own words. */
async function answerQuestions(
  terminal: Terminal,
  input: Record<string, unknown>,
  { signal }: CanUseToolContext,
  askLine: AskLine,
): Promise<PermissionResult> {
  const questions = Array.isArray(input["questions"]) ? (input["questions"] as Question[]) : [];
  const answers: Record<string, string> = {};
  for (const { question, options = [], multiSelect } of questions) {
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
    if (said === undefined) return NO_ANSWER;
    answers[question] = chosen(said, options, multiSelect === true);
  }
  return { behavior: "allow", updatedInput: { ...input, answers } };
}

function chosen(said: string, options: NonNullable<Question["options"]>, isMany: boolean): string {
  const labels = said.split(/[\s,]+/).map((each) => options[Number(each) - 1]?.label);
  const isNumbers = labels.every((label) => label !== undefined);
  return isNumbers && (isMany || labels.length === 1) ? labels.join(", ") : said;
}
