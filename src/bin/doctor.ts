import { endOrphans, findOrphans, type OrphanFilter, type Orphans } from "../process/index.js";
import { type Command, defineCommand } from "./command.js";
import { type Flags, type Given, usageError } from "./flags.js";
import { oneLine, printable } from "./terminal.js";

const FLAGS = {
  orphans: { help: "only what programs that were killed have left behind" },
  end: { help: "with --orphans: ends and removes it" },
  host: {
    value: "pid",
    help: "with --orphans: only what the program with that process id has left",
  },
  json: { help: "for a program to read" },
} as const satisfies Flags;

export const doctor: Command = defineCommand({
  name: "doctor",
  summary: "says what is wrong, and what to do about it",
  usage: ["--orphans [--end]"],
  examples: [["hawser doctor --orphans --end", "ends what killed programs have left"]],
  flags: FLAGS,
  words: 0,
  run: async ({ flags }) => {
    if (!flags.orphans) throw usageError("`hawser doctor` looks for orphans only: say --orphans.");
    return orphans(flags);
  },
});

async function orphans({ end, json, host }: Given<typeof FLAGS>): Promise<number> {
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
  throw usageError(`--host=${host} is not the number of a process.`);
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

const BLIND = "Processes cannot be seen here: only folders were looked for.\n";

const LONGEST_COMMAND = 100;

function count({ processes, folders }: Orphans): number {
  return processes.length + folders.length;
}
