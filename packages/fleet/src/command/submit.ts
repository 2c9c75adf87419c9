import { ERROR_CODES, type Prompt } from "hawser";
import type { Fleet } from "../fleet.js";
import type { Run, RunInfo, SubmitOptions } from "../runs/run.js";
import { workerCommand } from "./advise-worker.js";
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
    const worker = new OwnWorker(fleet, shell, { place, profile, queue, cwd, mayWork: true });
    return await followWith(worker, fleet, run, shell, { place });
  });
}

function announce(info: RunInfo, shell: CommandShell, isFollowed: boolean): void {
  const { terminal } = shell;
  if (shell.isJson) printJson(shell, { run: info });
  else if (!isFollowed) terminal.writeLine(info.id);
  else if (terminal.isWatched) terminal.note(terminal.style.dim(`run ${info.id}`));
  else terminal.warn(`run ${info.id}`);
}

export interface FollowOptions {
  readonly place: FleetPlace;
  /** The number of the last event that is known already. */
  readonly after?: number;
}

/**
 * Shows a run until it has ended, while the worker looks after it. On a terminal, the user is asked the questions of
 * the run. Resolves to the exit code; a run that failed or was cancelled throws its error.
 */
export async function followWith(
  worker: OwnWorker,
  fleet: Fleet,
  run: Run,
  shell: CommandShell,
  options: FollowOptions,
): Promise<number> {
  let hasText: boolean;
  let wasWorking: boolean;
  try {
    if ((await run.info()).endedAt === undefined) await worker.start();
    hasText = await follow(fleet, run, shell, options);
  } finally {
    wasWorking = worker.isWorking;
    await worker[Symbol.asyncDispose]();
  }
  const info = await run.info();
  if (info.endedAt !== undefined) return finishRun(info, shell, hasText);
  const { flags } = options.place;
  const id = run.id.slice(0, 8);
  const rest = `hawser runs follow ${id}${flags} shows it, hawser runs cancel ${id}${flags} ends it.`;
  const served = `Nobody works on the run now. ${workerCommand(options.place, info.queue)} continues it,`;
  const text = wasWorking ? `${served} ${rest}` : `The run goes on. ${rest}`;
  if (wasWorking) shell.terminal.warn(text);
  else shell.terminal.note(text);
  return ERROR_CODES.aborted.exitCode;
}

/** Shows a run until it has ended, or until Ctrl-C. Returns whether the user has seen text of it. */
async function follow(
  fleet: Fleet,
  run: Run,
  shell: CommandShell,
  { place, after }: FollowOptions,
): Promise<boolean> {
  const { tenant } = await run.info();
  const interrupted = shell.interrupted();
  const over = new AbortController();
  const signal = AbortSignal.any([interrupted, over.signal]);
  const questions = shell.terminal.isInteractive
    ? watchQuestions(fleet, shell, { tenant, run: run.id, flags: place.flags, signal })
    : Promise.resolve();
  // The run is followed also if its questions cannot be asked here.
  questions.catch((error: Error) =>
    shell.terminal.warn(`Questions are not shown: ${error.message}`),
  );
  const view = new RunView(shell, place);
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
  return view.hasText;
}

async function isOpen(fleet: Fleet, run: string, approval: string): Promise<boolean> {
  const open = await fleet.approvals.pending({ run });
  return open.some(({ id }) => id === approval);
}
