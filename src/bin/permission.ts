import type { CanUseTool, CanUseToolContext } from "../options/index.js";
import type { PermissionResult, PermissionUpdate } from "../wire/index.js";
import { printable, type Terminal } from "./terminal.js";
import { callDetails } from "./tool-view.js";

/** Asks the person one line; undefined when there will be no answer. */
export type AskLine = (question: string, signal: AbortSignal) => Promise<string | undefined>;

/** Asks the person about each call that needs approval, one after the other. */
export function askPerson(terminal: Terminal, cwd: () => string, askLine: AskLine): CanUseTool {
  let before: Promise<unknown> = Promise.resolve();
  return (tool, input, context) => {
    const answer = before.then(() => {
      if (context.signal.aborted) return NO_ANSWER;
      terminal.status(undefined);
      return tool === "AskUserQuestion"
        ? answerQuestions(terminal, input, context, askLine)
        : decide(terminal, { tool, input, context, cwd: cwd() }, askLine);
    });
    before = answer.catch(() => {});
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
  terminal.note(`${style.yellow("?")} ${style.bold(`${printable(tool)}${who}`)}`);
  for (const line of callDetails(input, cwd, style)) terminal.note(`    ${line}`);
  if (context.decisionReason !== undefined) {
    terminal.note(style.dim(`    ${printable(context.decisionReason)}`));
  }
  const choices = [
    "[y]es",
    ...(always.length === 0 ? [] : [`[a]lways in this session: ${always.map(nameOf).join(", ")}`]),
    "[n]o, or say what to do instead",
  ];
  terminal.note(`  ${choices.join(" · ")}`);
  for (;;) {
    const said = await askLine("  > ", context.signal);
    if (said === undefined) return NO_ANSWER;
    const answer = said.trim();
    if (/^y(es)?$/i.test(answer)) return { behavior: "allow", updatedInput: input };
    if (/^a(lways)?$/i.test(answer) && always.length > 0) {
      return { behavior: "allow", updatedInput: input, updatedPermissions: always };
    }
    if (/^no?$/i.test(answer)) return { behavior: "deny", message: "The person refused this." };
    // A single letter is a slip of the finger, not an instruction.
    if (answer.length > 1) return { behavior: "deny", message: `The person says: ${answer}` };
  }
}

/** What "always" would grant, none of it for longer than this session. */
function alwaysOf({ suggestions = [], suppressAlwaysAllowRule }: CanUseToolContext) {
  if (suppressAlwaysAllowRule === true) return [];
  const rules = suggestions.filter(({ type }) => type === "addRules");
  // A mode grants more than calls like this one: it is offered only where there is nothing narrower.
  const narrow = rules.length > 0 ? rules : suggestions;
  return narrow.map((update): PermissionUpdate => ({ ...update, destination: "session" }));
}

function nameOf(update: PermissionUpdate): string {
  if (update.type === "setMode") return MODE_NAMES[update.mode] ?? `mode ${update.mode}`;
  if ("directories" in update)
    return update.directories.map((folder) => `folder ${folder}`).join(", ");
  const names = update.rules.map(({ toolName, ruleContent }) =>
    ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`,
  );
  return printable(names.join(", "));
}

const MODE_NAMES: Readonly<Record<string, string>> = { acceptEdits: "all edits in this folder" };

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
    const said = await askLine(how, signal);
    if (said === undefined || said.trim() === "") return NO_ANSWER;
    answers[question] = chosen(said.trim(), options);
  }
  return { behavior: "allow", updatedInput: { ...input, answers } };
}

function chosen(said: string, options: NonNullable<Question["options"]>): string {
  const numbers = said.split(/[\s,]+/).map((each) => options[Number(each) - 1]?.label);
  return numbers.every((label) => label !== undefined) ? numbers.join(", ") : said;
}
