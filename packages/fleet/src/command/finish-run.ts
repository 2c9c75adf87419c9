import { ERROR_CODES, HawserError } from "hawser";
import type { RunInfo } from "../runs/run.js";
import { countOf, dollars } from "./amounts.js";
import { type CommandShell, printJson } from "./shell.js";

/**
 * Says how a followed run ended: the answer on stdout unless it was shown already, and a line about segments, cost
 * and time. Resolves to the exit code. A run that failed or was cancelled throws its error.
 */
export function finishRun(info: RunInfo, shell: CommandShell, wasTextShown: boolean): number {
  const { terminal } = shell;
  terminal.status(undefined);
  if (shell.isJson) printJson(shell, { run: info });
  const { outcome, error } = info;
  if (outcome === undefined) {
    if (!shell.isJson) terminal.note(terminal.style.dim(summaryOf(info)));
    throw failureOf(info, error);
  }
  if (!shell.isJson) {
    if (outcome.value !== undefined) {
      terminal.writeLine(JSON.stringify(outcome.value, null, terminal.isShown ? 2 : undefined));
    } else if (!wasTextShown)
      terminal.write(outcome.text.endsWith("\n") ? outcome.text : `${outcome.text}\n`);
    else terminal.endLine();
    terminal.note(terminal.style.dim(summaryOf(info)));
    for (const { tool } of outcome.uncertainTools) {
      terminal.warn(`A host died in a call of ${tool}. It may or may not have taken effect.`);
    }
  }
  if (outcome.stop !== "max_turns" && outcome.stop !== "max_budget") return 0;
  const which = outcome.stop === "max_turns" ? "--max-turns" : "--budget";
  terminal.warn(`The run stopped at ${which}, so the answer is incomplete.`);
  return ERROR_CODES[outcome.stop].exitCode;
}

function summaryOf({ state, segments, costUsd, outcome, createdAt, endedAt }: RunInfo): string {
  const seconds = ((endedAt ?? new Date()).getTime() - createdAt.getTime()) / 1000;
  const cost = `${dollars(costUsd)}${outcome?.costEstimated ? " (a part is estimated)" : ""}`;
  return [state, countOf(segments, "segment"), cost, `${seconds.toFixed(1)} s`].join(" · ");
}

function failureOf({ id, state }: RunInfo, error: RunInfo["error"]): HawserError {
  if (error === undefined) {
    return new HawserError("protocol_error", `The run ${id} is ${state}, but has no outcome.`);
  }
  const { code, message, hint } = error;
  return new HawserError(code, message, hint === undefined ? {} : { hint });
}
