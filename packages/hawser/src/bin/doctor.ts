import { realpathSync, statSync } from "node:fs";
import { HAWSER_VERSION, hostMask, maskDeep } from "../base/index.js";
import { currentFolder } from "../process/index.js";
import { type Command, defineCommand } from "./command/define-command.js";
import { type Flags, type Given, usageError } from "./command/flags.js";
import { checkCredential } from "./doctor/check-credential.js";
import { checkExecutable } from "./doctor/check-executable.js";
import { checkFolders } from "./doctor/check-folders.js";
import { checkCredentialMix, checkHost, checkOrphans } from "./doctor/check-host.js";
import { checkNetwork } from "./doctor/check-network.js";
import { checkSettings } from "./doctor/check-settings.js";
import {
  type Check,
  type CheckContext,
  exitCodeOf,
  type Finding,
  problem,
} from "./doctor/finding.js";
import { listOrphans } from "./doctor/list-orphans.js";
import { countLevel, formatReport } from "./doctor/report.js";
import { Terminal } from "./terminal/terminal.js";

const FLAGS = {
  live: { help: "makes one small real call, too" },
  cli: { value: "path", help: "the claude to look at" },
  cwd: { short: "C", value: "folder", help: "whose settings are looked at" },
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
  usage: ["[--live] [--cli <path>]", "--orphans [--end]"],
  examples: [
    ["hawser doctor", "looks at everything; makes no call"],
    ["hawser doctor --live", "and asks the model for one word"],
    ["hawser doctor --json | jq .findings", "for a program"],
    ["hawser doctor --orphans --end", "ends what killed programs have left"],
  ],
  flags: FLAGS,
  notes:
    "Exit code: 0 if there is no problem (warnings are none), else that of the first problem's cause.\nWith --orphans: 1 if something is left. No credential is ever shown.",
  words: 0,
  run: async ({ flags }) => {
    if (flags.orphans) return listOrphans(flags);
    for (const name of ["end", "host"] as const) {
      if (flags[name]) throw usageError(`--${name} goes with --orphans.`);
    }
    return examine(flags);
  },
});

const CHECKS: readonly Check[] = [
  checkExecutable,
  checkCredential,
  checkHost,
  checkFolders,
  checkSettings,
  checkNetwork,
  checkCredentialMix,
  checkOrphans,
];

async function examine({ live, json, cli, cwd }: Given<typeof FLAGS>): Promise<number> {
  const terminal = new Terminal({ quiet: json });
  const context = contextOf(cli, cwd);
  const found: Finding[] = [];
  if ("id" in context) found.push(context);
  else {
    terminal.status("looking");
    for (const check of CHECKS) found.push(...(await check(context)));
    if (live) {
      terminal.status("asking the model");
      const { checkLiveCall } = await import("./doctor/check-live-call.js");
      found.push(await checkLiveCall(context, found));
    }
    terminal.status(undefined);
  }
  // Masks all findings once more, because a path may hold a secret, too.
  const findings = maskDeep(found, hostMask()) as readonly Finding[];
  const exitCode = exitCodeOf(findings);
  if (json) terminal.writeLine(JSON.stringify(dataOf(findings, exitCode)));
  else process.stdout.write(formatReport(findings, terminal.outStyle, widthOf(terminal)));
  return exitCode;
}

function contextOf(
  cliPath: string | undefined,
  folder: string | undefined,
): CheckContext | Finding {
  try {
    const cwd = realpathSync(folder ?? currentFolder());
    if (!statSync(cwd).isDirectory()) throw new TypeError("no folder");
    return { env: process.env, cwd, ...(cliPath === undefined ? {} : { cliPath }) };
  } catch {
    const which = folder ?? "that this runs in";
    return problem("cwd", "cwd_not_found", `The folder ${which} does not exist.`);
  }
}

function dataOf(findings: readonly Finding[], exitCode: number): object {
  return {
    hawser: HAWSER_VERSION,
    platform: `${process.platform} ${process.arch}`,
    exitCode,
    problems: countLevel(findings, "problem"),
    warnings: countLevel(findings, "warning"),
    findings,
  };
}

function widthOf({ isShown }: Terminal): number | undefined {
  return isShown ? process.stdout.columns || undefined : undefined;
}
