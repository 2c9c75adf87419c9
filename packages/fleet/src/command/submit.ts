import { ERROR_CODES, type Prompt } from "hawser";
import type { Fleet } from "../fleet.js";
import type { Run, RunInfo, SubmitOptions } from "../runs/run.js";
import { watchQuestions } from "./ask-questions.js";
import { checkCwd } from "./check-cwd.js";
import { finishRun } from "./finish-run.js";
import { type FleetPlace, withFleet } from "./open-place.js";
import { OwnWorker } from "./own-worker.js";
import { RunView } from "./run-view.js";
import { type CommandShell, printJson } from "./shell.js";

export interface SubmitCommand {
  readonly place: FleetPlace;
  readonly prompt: Prompt;
  readonly options: Omit<SubmitOptions, "db">;
  readonly isFollowed: boolean;
  /** Where a worker of this command works, if it needs one. */
  readonly cwd?: string;
}

/** `hawser submit`: queues a run, and with `--follow` shows it until it has ended. */
export async function submit(command: SubmitCommand, shell: CommandShell): Promise<number> {
  const { place, prompt, options, isFollowed, cwd } = command;
  checkCwd(cwd);
  return withFleet(place, shell, "create", async (fleet) => {
    const run = await fleet.submit(prompt, options);
    const info = await run.info();
    announce(info, shell, isFollowed);
    if (!isFollowed) return 0;
    const { profile, queue } = info;
    const worker = new OwnWorker(fleet, shell, { place, profile, queue, cwd });
    try {
      if (info.endedAt === undefined) await worker.start();
      return await follow(fleet, run, shell, { tenant: info.tenant });
    } finally {
      await worker[Symbol.asyncDispose]();
    }
  });
}

function announce(info: RunInfo, shell: CommandShell, isFollowed: boolean): void {
  const { terminal } = shell;
  if (shell.isJson) printJson(shell, { run: info });
  else if (isFollowed) terminal.note(terminal.style.dim(`run ${info.id}`));
  else terminal.writeLine(info.id);
}

export interface FollowOptions {
  /** The tenant whose questions the user is asked. */
  readonly tenant: string;
  /** The number of the last event that is known already. */
  readonly after?: number;
}

/**
 * Shows a run until it has ended. On a terminal, the user is asked the questions of the run. Resolves to the exit
 * code; a run that failed or was cancelled throws its error.
 */
export async function follow(
  fleet: Fleet,
  run: Run,
  shell: CommandShell,
  { tenant, after }: FollowOptions,
): Promise<number> {
  const interrupted = shell.interrupted();
  const over = new AbortController();
  const signal = AbortSignal.any([interrupted, over.signal]);
  const questions = shell.terminal.isInteractive
    ? watchQuestions(fleet, shell, { tenant, run: run.id, signal })
    : Promise.resolve();
  // The run is followed also if its questions cannot be asked here.
  questions.catch((error: Error) =>
    shell.terminal.warn(`Questions are not shown: ${error.message}`),
  );
  const view = new RunView(shell);
  try {
    const from = after === undefined ? {} : { after };
    for await (const event of run.events({ ...from, signal: interrupted })) {
      if (shell.isJson) printJson(shell, event);
      // The question may be of yesterday, and answered long ago.
      else if (event.type !== "asked" || (await isOpen(fleet, run.id, event.approval))) {
        view.receive(event);
      }
    }
  } catch (error) {
    if (!interrupted.aborted) throw error;
  } finally {
    view.settle();
    over.abort();
    await questions.catch(() => {});
  }
  const info = await run.info();
  if (info.endedAt !== undefined) return finishRun(info, shell, view.hasText);
  shell.terminal.note(
    `The run goes on. hawser runs follow ${run.id.slice(0, 8)} shows it, hawser runs cancel ${run.id.slice(0, 8)} ends it.`,
  );
  return ERROR_CODES.aborted.exitCode;
}

async function isOpen(fleet: Fleet, run: string, approval: string): Promise<boolean> {
  const open = await fleet.approvals.pending({ run });
  return open.some(({ id }) => id === approval);
}
