import { parseArgs } from "node:util";
import { endOrphans, findOrphans, type OrphanFilter, type Orphans } from "../process/index.js";
import { usageError } from "./usage.js";

/** Resolves to the exit code. */
export async function doctor(args: string[]): Promise<number> {
  const { filter, end, json } = parse(args);
  const found = findOrphans(filter);
  const left = end ? await endOrphans(filter) : found;
  const text = json ? `${JSON.stringify({ found, left })}\n` : report(found, left, end);
  process.stdout.write(text);
  return count(left) === 0 ? 0 : 1;
}

interface Asked {
  readonly filter: OrphanFilter;
  readonly end: boolean;
  readonly json: boolean;
}

function parse(args: string[]): Asked {
  const values = valuesOf(args);
  if (!values.orphans) throw usageError("`hawser doctor` looks for orphans only: say --orphans.");
  if (values.host !== undefined && !/^[1-9]\d*$/.test(values.host)) {
    throw usageError(`--host=${values.host} is not the number of a process.`);
  }
  const filter = values.host === undefined ? {} : { hostPid: Number(values.host) };
  return { filter, end: values.end, json: values.json };
}

function valuesOf(args: string[]) {
  try {
    const flag = { type: "boolean", default: false } as const;
    const options = { orphans: flag, end: flag, json: flag, host: { type: "string" } } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw usageError((error as Error).message);
  }
}

function report(found: Orphans, left: Orphans, end: boolean): string {
  const blind = found.seesProcesses ? "" : BLIND;
  if (count(found) === 0) return `${blind}No orphans.\n`;
  const lines = found.processes.map(({ pid, command, hostPid }) => {
    return `process ${pid}, left by ${hostPid}: ${printable(command).slice(0, LONGEST_COMMAND)}`;
  });
  lines.push(...found.folders.map((folder) => `folder ${printable(folder)}`));
  const rest = count(left);
  if (!end) lines.push("", "`hawser doctor --orphans --end` ends and removes them.");
  else lines.push("", rest === 0 ? "All of them are gone." : `${rest} of them are still there.`);
  return `${blind}${lines.join("\n")}\n`;
}

const BLIND = "Processes cannot be seen here: only folders were looked for.\n";

const LONGEST_COMMAND = 100;

/** A name may hold what moves the cursor, or begins a line of its own. */
function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}

function count({ processes, folders }: Orphans): number {
  return processes.length + folders.length;
}
