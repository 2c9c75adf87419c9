import type { Fleet } from "../fleet.js";
import { toError } from "../runs/failures.js";
import type { RunFilter } from "../runs/list-runs.js";
import type { Run, RunInfo, RunState } from "../runs/run.js";
import { ageOf, countOf, dollars } from "./amounts.js";
import { aboutOf, findRun } from "./find-run.js";
import { type FleetPlace, withFleet } from "./open-place.js";
import { OwnWorker } from "./own-worker.js";
import { oneLine } from "./printable.js";
import { type CommandShell, printJson } from "./shell.js";
import { followWith } from "./submit.js";
import { shortIds, table } from "./table.js";

export interface ListRunsCommand extends Pick<RunFilter, "tenant" | "session"> {
  readonly place: FleetPlace;
  readonly state?: readonly RunState[];
  readonly limit: number;
}

/** `hawser runs`: the newest runs, one a line. */
export function listRuns(command: ListRunsCommand, shell: CommandShell): Promise<number> {
  const { place, limit, ...filter } = command;
  return withFleet(place, shell, "existing", async (fleet) => {
    const found: RunInfo[] = [];
    // One more than shown, to learn whether there are more.
    for await (const run of fleet.runs({ ...filter, limit: limit + 1 })) found.push(run);
    const shown = found.slice(0, limit);
    const { terminal } = shell;
    if (shell.isJson) printJson(shell, { runs: shown, more: found.length > limit });
    else if (shown.length === 0) terminal.note("There are no such runs.");
    else
      for (const line of terminal.isShown ? forPeople(shown, shell) : shown.map(forPrograms))
        terminal.writeLine(line);
    if (found.length > limit) {
      terminal.note(terminal.style.dim(`There are more: --limit ${limit * 5}.`));
    }
    return 0;
  });
}

/** Fields with tabs between them: whole id, state, tenant, time, cost, prompt. */
function forPrograms({ id, state, tenant, createdAt, costUsd, prompt }: RunInfo): string {
  // Sums of prices have digits such as 0.00014000000000000001.
  const cost = String(Number(costUsd.toPrecision(12)));
  const fields = [id, state, oneLine(tenant, 100), createdAt.toISOString(), cost];
  return [...fields, aboutOf(prompt, 1000)].join("\t");
}

function forPeople(runs: readonly RunInfo[], { terminal }: CommandShell): string[] {
  const ids = shortIds(runs.map(({ id }) => id));
  const rows = runs.map(({ state, tenant, createdAt, costUsd, prompt }, i) => {
    const about = aboutOf(prompt, Math.max(terminal.width - 60, 20));
    return [ids[i] ?? "", state, oneLine(tenant, 20), ageOf(createdAt), dollars(costUsd), about];
  });
  const [header = "", ...lines] = table([
    ["ID", "STATE", "TENANT", "AGE", "COST", "ABOUT"],
    ...rows,
  ]);
  return [terminal.outStyle.dim(header), ...lines];
}

export interface RunCommand {
  readonly place: FleetPlace;
  /** The id, or the first characters of it. */
  readonly run: string;
}

/** `hawser runs show`: everything that is known of one run. */
export function showRun({ place, run: name }: RunCommand, shell: CommandShell): Promise<number> {
  return withFleet(place, shell, "existing", async (fleet) => {
    const info = await (await findRun(fleet, name, place)).info();
    const { terminal } = shell;
    if (shell.isJson) {
      printJson(shell, { run: info });
      return 0;
    }
    const open = await fleet.approvals.pending({ run: info.id });
    const questions = open.map((question) => [
      "question",
      `${oneLine(question.summary, 200)} (hawser approve ${question.id.slice(0, 8)}${place.flags})`,
    ]);
    for (const line of table([...factsOf(info), ...questions])) terminal.writeLine(line);
    const { outcome, error } = info;
    if (outcome !== undefined) {
      const { value, text } = outcome;
      terminal.writeLine();
      terminal.writeLine(value === undefined ? text : JSON.stringify(value, null, 2));
    }
    if (error !== undefined) {
      const { message, hint } = shell.describeError(toError(error, info.sessionId));
      terminal.writeLine(`\n${message}\n${hint}`);
    }
    return 0;
  });
}

function factsOf(info: RunInfo): string[][] {
  const { outcome, error } = info;
  const times = `${info.createdAt.toISOString()}${info.endedAt === undefined ? "" : ` to ${info.endedAt.toISOString()}`}`;
  const segments = `${countOf(info.segments, "segment")}${info.deaths > 0 ? `, ${countOf(info.deaths, "host")} lost` : ""}`;
  const uncertain = outcome?.uncertainTools ?? [];
  return [
    ["run", info.id],
    ["state", error === undefined ? info.state : `${info.state} (${error.code})`],
    ["tenant", oneLine(info.tenant, 100)],
    ["profile", oneLine(info.profile, 100)],
    ["session", info.sessionId],
    ["prompt", aboutOf(info.prompt, 200)],
    ["time", times],
    ["work", segments],
    ...(info.host === undefined ? [] : [["host", oneLine(info.host, 100)]]),
    ["cost", `${dollars(info.costUsd)}${outcome?.costEstimated ? " (a part is estimated)" : ""}`],
    ...Object.entries(info.metadata).map(([name, text]) => [oneLine(name, 40), oneLine(text, 200)]),
    ...uncertain.map(({ tool }) => ["uncertain", `${oneLine(tool, 60)}: a host died in this call`]),
  ];
}

/** `hawser runs follow`: shows a run until it has ended. */
export function followRun(
  command: RunCommand & { readonly after?: number },
  shell: CommandShell,
): Promise<number> {
  return withFleet(command.place, shell, "existing", async (fleet) => {
    const run = await findRun(fleet, command.run, command.place);
    const { profile, queue } = await run.info();
    const { after, place } = command;
    const options = { place, profile, queue, cwd: undefined, mayWork: false };
    const worker = new OwnWorker(fleet, shell, options);
    const from = after === undefined ? {} : { after };
    return followWith(worker, fleet, run, shell, { place, ...from });
  });
}

export interface RunsCommand {
  readonly place: FleetPlace;
  readonly runs: readonly string[];
}

/** `hawser runs cancel`: ends runs, wherever they are. Exit code 1 if one of them had ended before. */
export function cancelRuns(
  { place, runs, reason }: RunsCommand & { readonly reason?: string },
  shell: CommandShell,
): Promise<number> {
  return changeRuns({ place, runs }, shell, {
    change: (run) => run.cancel(reason),
    done: "cancelled",
    refused: "had ended before",
  });
}

/** `hawser runs retry`: puts runs that failed back into the queue. Exit code 1 if one of them has not failed. */
export function retryRuns(command: RunsCommand, shell: CommandShell): Promise<number> {
  return changeRuns(command, shell, {
    change: (run) => run.retry(),
    done: "queued",
    refused: "has not failed",
  });
}

interface RunChange {
  change(run: Run): Promise<boolean>;
  /** What is said of a run that was changed. */
  readonly done: string;
  /** What is said of a run that could not be changed. */
  readonly refused: string;
}

function changeRuns(
  { place, runs }: RunsCommand,
  shell: CommandShell,
  { change, done, refused }: RunChange,
): Promise<number> {
  return withFleet(place, shell, "existing", async (fleet) => {
    // All runs are found before the first one is changed.
    const found = await findAll(fleet, runs, place);
    const results: { id: string; changed: boolean }[] = [];
    for (const run of found) results.push({ id: run.id, changed: await change(run) });
    if (shell.isJson)
      printJson(shell, { [done]: results.filter(({ changed }) => changed).map(({ id }) => id) });
    for (const { id, changed } of results) {
      if (!changed) shell.terminal.warn(`The run ${id.slice(0, 8)} ${refused}.`);
      else if (!shell.isJson) shell.terminal.writeLine(`${id} ${done}`);
    }
    return results.every(({ changed }) => changed) ? 0 : 1;
  });
}

async function findAll(fleet: Fleet, names: readonly string[], place: FleetPlace): Promise<Run[]> {
  const found: Run[] = [];
  for (const name of names) found.push(await findRun(fleet, name, place));
  return found;
}
