import { userInfo } from "node:os";
import type { FleetApproval } from "../approvals/fleet-approvals.js";
import type { Fleet } from "../fleet.js";
import { ageOf } from "./amounts.js";
import { oneLine } from "./printable.js";
import type { CommandShell } from "./shell.js";

export interface AskQuestionsOptions {
  readonly tenant?: string;
  /** Only the questions of this run. */
  readonly run?: string;
  /** Who answers, for the record. @default the user of this machine */
  readonly by?: string;
  /** The flags of a command that means the same fleet. */
  readonly flags: string;
  readonly signal: AbortSignal;
}

/** Asks the user the questions that are open now, one after the other. Resolves to the number of answers. */
export async function askOpenQuestions(
  fleet: Fleet,
  shell: CommandShell,
  options: AskQuestionsOptions,
): Promise<number> {
  const { run, tenant, signal } = options;
  const filter = {
    ...(tenant === undefined ? {} : { tenant }),
    ...(run === undefined ? {} : { run }),
  };
  let answers = 0;
  for (const approval of await fleet.approvals.pending(filter)) {
    const settled = new AbortController();
    const stop = new AbortController();
    const watching = settledElsewhere(fleet, approval, stop.signal).then(
      (isSettled) => isSettled && settled.abort(),
      // Without the watch, a late answer is refused all the same.
      () => {},
    );
    const gone = AbortSignal.any([signal, settled.signal]);
    try {
      if (await answerOne(fleet, shell, approval, options, gone)) answers += 1;
    } finally {
      stop.abort();
      await watching;
    }
    if (signal.aborted) break;
  }
  return answers;
}

/** Resolves to true when the question was settled, and to false when it is watched no more. */
async function settledElsewhere(
  fleet: Fleet,
  { id, tenant }: FleetApproval,
  signal: AbortSignal,
): Promise<boolean> {
  for await (const change of fleet.approvals.watch({ tenant, signal })) {
    if (change.type !== "asked" && change.id === id) return true;
  }
  return false;
}

/** Asks the user each question, those that are open now and those to come, until the signal ends it. */
export async function watchQuestions(
  fleet: Fleet,
  shell: CommandShell,
  options: AskQuestionsOptions,
): Promise<void> {
  const { run, tenant, signal } = options;
  const open = new Map<string, AbortController>();
  const failed = new AbortController();
  const end = AbortSignal.any([signal, failed.signal]);
  let before: Promise<unknown> = Promise.resolve();
  const filter = tenant === undefined ? {} : { tenant };
  for await (const change of fleet.approvals.watch({ ...filter, signal: end })) {
    if (change.type !== "asked") {
      open.get(change.id)?.abort();
      open.delete(change.id);
      continue;
    }
    const { approval } = change;
    if ((run !== undefined && approval.run !== run) || open.has(approval.id)) continue;
    const gone = new AbortController();
    open.set(approval.id, gone);
    const until = AbortSignal.any([end, gone.signal]);
    before = before.then(() => answerOne(fleet, shell, approval, options, until));
    // Ends the loop, which throws the failure.
    before.catch(() => failed.abort());
  }
  await before;
}

async function answerOne(
  fleet: Fleet,
  shell: CommandShell,
  approval: FleetApproval,
  { by, flags }: Pick<AskQuestionsOptions, "by" | "flags">,
  signal: AbortSignal,
): Promise<boolean> {
  if (signal.aborted) return false;
  const { terminal } = shell;
  const { run, tenant, askedAt, kind, summary, id } = approval;
  const about = `run ${run.slice(0, 8)} of ${oneLine(tenant, 40)}, ${ageOf(new Date(askedAt))}`;
  terminal.note(terminal.style.dim(about));
  if (kind === "elicitation") {
    terminal.warn(
      `${oneLine(summary, 200)} (answer it with hawser approve ${id}${flags} --answer)`,
    );
    return false;
  }
  const decision = await shell.ask(approval, signal);
  if (decision === undefined) return false;
  const result = await fleet.approvals.answer(id, decision, { by: by ?? personName() });
  if (result === "too_late") terminal.warn("Another answer was first.");
  return result === "counted";
}

/** The name for the record of an answer. */
export function personName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container can run with a user id that has no name.
    return "unknown";
  }
}
