import { oneLine, printable } from "../../base/index.js";
import { endOrphans, findOrphans, type OrphanFilter, type Orphans } from "../../process/index.js";
import { usageError } from "../command/flags.js";

export interface OrphanFlags {
  readonly end: boolean;
  readonly json: boolean;
  readonly host: string | undefined;
}

/** Lists the orphans of killed programs, or ends them. Resolves to the exit code: 1 if any is left. */
export async function listOrphans({ end, json, host }: OrphanFlags): Promise<number> {
  const filter = filterOf(host);
  const found = findOrphans(filter);
  const left = end ? await endOrphans(filter) : found;
  const text = json ? `${JSON.stringify({ found, left })}\n` : report(found, left, end);
  process.stdout.write(text);
  return count(left) === 0 ? 0 : 1;
}

function filterOf(host: string | undefined): OrphanFilter {
  if (host === undefined) return {};
  if (/^[1-9]\d*$/.test(host)) return { hostPid: Number(host) };
  throw usageError(`--host must be a process id, not ${host}.`);
}

function report(found: Orphans, left: Orphans, end: boolean): string {
  const blind = found.seesProcesses ? "" : BLIND;
  if (count(found) === 0) return `${blind}No orphans.\n`;
  const lines = found.processes.map(({ pid, command, hostPid }) => {
    return `process ${pid}, left by ${hostPid}: ${oneLine(command, LONGEST_COMMAND)}`;
  });
  lines.push(...found.folders.map((folder) => `folder ${printable(folder)}`));
  const rest = count(left);
  if (!end) lines.push("", "`hawser doctor --orphans --end` ends and removes them.");
  else lines.push("", rest === 0 ? "All of them are gone." : `${rest} of them are still there.`);
  return `${blind}${lines.join("\n")}\n`;
}

const BLIND = "hawser cannot list processes on this system; it looked only for folders.\n";

const LONGEST_COMMAND = 100;

function count({ processes, folders }: Orphans): number {
  return processes.length + folders.length;
}
