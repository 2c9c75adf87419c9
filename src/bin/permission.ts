import type { CanUseTool, CanUseToolContext } from "../options/index.js";
import type { PermissionResult, PermissionUpdate } from "../wire/index.js";
import { printable, type Terminal, visible } from "./terminal.js";
import { callDetails } from "./tool-view.js";

/** Asks the person one line; undefined when there will be no answer. */
export type AskLine = (question: string, signal: AbortSignal) => Promise<string | undefined>;

/** Asks the person about each call that needs approval, one after the other. */
export function askPerson(terminal: Terminal, cwd: () => string, askLine: AskLine): CanUseTool {
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
  const { style } = terminal;
  const always = alwaysOf(context);
  const who = context.agentID === undefined ? "" : " (a sub-agent)";
  terminal.note(`${style.yellow("?")} ${style.bold(`${visibleLine(tool)}${who}`)}`);
  const details = callDetails(input, cwd, style).map((line) => `    ${line}`);
  for (const line of details.slice(0, SHOWN)) terminal.note(line);
  if (context.decisionReason !== undefined) {
    terminal.note(style.dim(`    ${visibleLine(context.decisionReason)}`));
  }
  const hidden = details.slice(SHOWN);
  const choices = [
    ...(hidden.length === 0 ? [] : [`[s]how ${hidden.length} more lines`]),
    "[y]es",
    ...(always.length === 0 ? [] : [`[a]lways in this session: ${always.map(nameOf).join(", ")}`]),
    "[n]o, or say what to do instead",
  ];
  for (;;) {
    const said = await askLine(`  ${choices.join(" · ")}\n  > `, context.signal);
    if (said === undefined) return NO_ANSWER;
    const answer = said.trim();
    if (/^y(es)?$/i.test(answer)) return { behavior: "allow", updatedInput: input };
    if (/^a(lways)?$/i.test(answer) && always.length > 0) {
      return { behavior: "allow", updatedInput: input, updatedPermissions: always };
    }
    if (/^no?$/i.test(answer)) return { behavior: "deny", message: "The person refused this." };
    const isShow = /^s(how)?$/i.test(answer) && hidden.length > 0;
    if (isShow) for (const line of hidden) terminal.note(line);
    // A single letter is a slip of the finger, not an instruction.
    else if (answer.length > 1) return { behavior: "deny", message: `The person says: ${answer}` };
  }
}

/** Lines of a call that are shown unasked. */
const SHOWN = 60;

/** What "always" would grant, none of it for longer than this session. */
function alwaysOf({ suggestions = [], suppressAlwaysAllowRule }: CanUseToolContext) {
  if (suppressAlwaysAllowRule === true) return [];
  const rules = suggestions.filter((each) => each.type === "addRules" && each.behavior === "allow");
  // A mode grants more than calls like this one: it is offered only where there is nothing narrower.
  const wide = suggestions.filter(({ type }) => type === "setMode" || type === "addDirectories");
  const granted = rules.length > 0 ? rules : wide;
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

function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "␊");
}

interface Question {
  readonly question: string;
  readonly multiSelect?: boolean;
  readonly options?: readonly { readonly label: string; readonly description?: string }[];
}

/** The model's own questions: by number, or in the person's own words. */
async function answerQuestions(
  terminal: Terminal,
  input: Record<string, unknown>,
  { signal }: CanUseToolContext,
  askLine: AskLine,
): Promise<PermissionResult> {
  const questions = Array.isArray(input["questions"]) ? (input["questions"] as Question[]) : [];
  const answers: Record<string, string> = {};
  for (const { question, options = [], multiSelect } of questions) {
    terminal.note(`${terminal.style.yellow("?")} ${terminal.style.bold(printable(question))}`);
    for (const [place, { label, description }] of options.entries()) {
      const about = description ? terminal.style.dim(`  ${printable(description)}`) : "";
      terminal.note(`    ${place + 1}. ${printable(label)}${about}`);
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
