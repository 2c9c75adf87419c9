import { type ApprovalDecision, ERROR_CODES, HawserError } from "hawser";
import type { FleetApproval, FleetApprovalRecord } from "../approvals/fleet-approvals.js";
import type { Fleet } from "../fleet.js";
import { ageOf, countOf } from "./amounts.js";
import { askOpenQuestions, personName, watchQuestions } from "./ask-questions.js";
import { findRun } from "./find-run.js";
import { type FleetPlace, withFleet } from "./open-place.js";
import { oneLine } from "./printable.js";
import { type CommandShell, printJson } from "./shell.js";
import { shortIds, table } from "./table.js";

export interface ListApprovalsCommand {
  readonly place: FleetPlace;
  readonly tenant?: string;
  /** The id of a run, or the first characters of it. */
  readonly run?: string;
}

/** `hawser approve` without a terminal: lists the open questions. */
export function listApprovals(command: ListApprovalsCommand, shell: CommandShell): Promise<number> {
  return withFleet(command.place, shell, "existing", async (fleet) => {
    const approvals = await fleet.approvals.pending(await filterOf(fleet, command));
    const { terminal } = shell;
    if (shell.isJson) printJson(shell, { approvals });
    else if (approvals.length === 0) terminal.note("No question is open.");
    else {
      const lines = terminal.isShown ? forPeople(approvals, shell) : approvals.map(forPrograms);
      for (const line of lines) terminal.writeLine(line);
    }
    return 0;
  });
}

/** Fields with tabs between them: whole id, run, tenant, time, question. */
function forPrograms({ id, run, tenant, askedAt, summary }: FleetApproval): string {
  return [id, run, oneLine(tenant, 100), askedAt, oneLine(summary, 1000)].join("\t");
}

function forPeople(approvals: readonly FleetApproval[], { terminal }: CommandShell): string[] {
  const ids = shortIds(approvals.map(({ id }) => id));
  const rows = approvals.map(({ run, tenant, askedAt, summary }, i) => {
    const about = oneLine(summary, Math.max(terminal.width - 60, 20));
    return [ids[i] ?? "", run.slice(0, 8), oneLine(tenant, 20), ageOf(new Date(askedAt)), about];
  });
  const [header = "", ...lines] = table([["ID", "RUN", "TENANT", "AGE", "QUESTION"], ...rows]);
  return [terminal.outStyle.dim(header), ...lines];
}

/** `hawser approve` on a terminal: asks the open questions, and with `--watch` those to come. */
export function askApprovals(
  command: ListApprovalsCommand & { readonly isWatched: boolean; readonly by?: string },
  shell: CommandShell,
): Promise<number> {
  return withFleet(command.place, shell, "existing", async (fleet) => {
    const { isWatched, by } = command;
    const signal = shell.interrupted();
    const filter = await filterOf(fleet, command);
    const options = {
      ...filter,
      flags: command.place.flags,
      ...(by === undefined ? {} : { by }),
      signal,
    };
    if (isWatched) {
      shell.terminal.note(shell.terminal.style.dim("waiting for questions; Ctrl-C ends it"));
      await watchQuestions(fleet, shell, options);
    } else {
      const answers = await askOpenQuestions(fleet, shell, options);
      shell.terminal.note(
        answers === 0 ? "No question was answered." : `${countOf(answers, "answer")} counted.`,
      );
    }
    return signal.aborted ? ERROR_CODES.aborted.exitCode : 0;
  });
}

export interface AnswerCommand {
  readonly place: FleetPlace;
  /** The id of the question, or the first characters of it. */
  readonly approval: string;
  /** Without a decision, the question is asked on the terminal, or shown. */
  readonly decision?: GivenDecision;
  readonly by?: string;
}

/** A decision before the kind of its question is known. */
export type GivenDecision =
  | { readonly type: "allow"; readonly scope: "once" | "session" }
  | { readonly type: "deny"; readonly message: string }
  | { readonly type: "answer"; readonly fields: Readonly<Record<string, unknown>> };

/** `hawser approve <question>`: answers one question. Exit code 75 if another answer was first. */
export function answerApproval(command: AnswerCommand, shell: CommandShell): Promise<number> {
  return withFleet(command.place, shell, "existing", async (fleet) => {
    const { decision: given, by = personName() } = command;
    const found = await findApproval(fleet, command.approval, command.place);
    if ("outcome" in found) return tellLate(found, shell);
    if (given === undefined && !shell.terminal.isInteractive) {
      printJson(shell, { approval: found });
      return 0;
    }
    const decision =
      given === undefined
        ? await shell.ask(found, shell.interrupted())
        : decisionFor(found, given, command.place);
    if (decision === undefined) return ERROR_CODES.aborted.exitCode;
    const result = await fleet.approvals.answer(found.id, decision, { by });
    if (result === "too_late") return tellLate(await recordOf(fleet, found.id), shell);
    if (shell.isJson) printJson(shell, { result, id: found.id });
    else shell.terminal.note("The answer counts.");
    return 0;
  });
}

/** The decision in the words of the kind of its question. */
function decisionFor(
  { kind, id }: FleetApproval,
  given: GivenDecision,
  { flags }: FleetPlace,
): ApprovalDecision {
  if (given.type === "deny") {
    if (kind === "elicitation") return { behavior: "decline" };
    return { behavior: "deny", message: given.message };
  }
  if (given.type === "allow") {
    if (kind === "elicitation") return { behavior: "accept" };
    if (kind !== "question") return { behavior: "allow", scope: given.scope };
    throw new HawserError(
      "invalid_options",
      "The model asks a question, which --allow does not answer.",
      {
        hint: `Answer it by its text: hawser approve ${id}${flags} --answer '{"Which?":"The red one"}'.`,
      },
    );
  }
  // The fleet checks the fields, as it does for all answers.
  const fields = given.fields as Readonly<Record<string, string>>;
  if (kind === "question") return { behavior: "answer", answers: fields };
  if (kind === "elicitation") return { behavior: "accept", content: fields };
  throw new HawserError("invalid_options", "A call or a plan is allowed or denied, not answered.", {
    hint: "Use --allow or --deny.",
  });
}

function tellLate(record: FleetApprovalRecord | undefined, shell: CommandShell): number {
  const { outcome = "withdrawn", by } = record ?? {};
  const who = outcome === "answered" && by !== undefined ? ` by ${oneLine(by, 60)}` : "";
  if (shell.isJson) printJson(shell, { result: "too_late", record });
  else shell.terminal.warn(`Too late: the question was ${outcome}${who}.`);
  return TOO_LATE;
}

/** As for other refusals that do not come from the command line. */
const TOO_LATE = 75;

async function findApproval(
  fleet: Fleet,
  name: string,
  { flags }: FleetPlace,
): Promise<FleetApproval | FleetApprovalRecord> {
  const isMeant = ({ id }: { readonly id: string }) =>
    id === name || (name.length >= SHORTEST && id.startsWith(name));
  const open = (await fleet.approvals.pending()).filter(isMeant);
  const [first] = open;
  if (open.length > 1) {
    const lines = open.map(({ id, summary }) => `  ${id}  ${oneLine(summary, 60)}`);
    throw new HawserError(
      "invalid_options",
      `${JSON.stringify(name)} matches ${open.length} questions.`,
      { hint: ["Give more of the id:", ...lines].join("\n") },
    );
  }
  if (first !== undefined) return first;
  const record = (await fleet.approvals.records({ limit: NEWEST })).find(isMeant);
  if (record !== undefined) return record;
  throw new HawserError("invalid_options", `There is no question ${JSON.stringify(name)}.`, {
    hint: `\`hawser approve --list${flags}\` lists the open ones.`,
  });
}

const SHORTEST = 4;
const NEWEST = 1000;

async function recordOf(fleet: Fleet, id: string): Promise<FleetApprovalRecord | undefined> {
  return (await fleet.approvals.records({ limit: NEWEST })).find((each) => each.id === id);
}

async function filterOf(
  fleet: Fleet,
  { place, tenant, run }: ListApprovalsCommand,
): Promise<{ readonly tenant?: string; readonly run?: string }> {
  return {
    ...(tenant === undefined ? {} : { tenant }),
    ...(run === undefined ? {} : { run: (await findRun(fleet, run, place)).id }),
  };
}
