import { realpathSync, statSync } from "node:fs";
import { HAWSER_VERSION, hostMask, maskDeep } from "../base/index.js";
import { currentFolder } from "../process/index.js";
import { CALL_FLAGS } from "./command/call-flags.js";
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
  live: { help: "Also make one small real call, which costs money or quota" },
  cli: CALL_FLAGS.cli,
  cwd: {
    short: "C",
    value: "folder",
    help: "Folder whose settings to check (default: the current folder)",
  },
  orphans: { help: "List only processes and folders that killed programs left behind" },
  end: { help: "With --orphans: kill these processes and remove these folders" },
  host: {
    value: "pid",
    help: "With --orphans: only those of the program with this process id",
  },
  json: { help: "Print JSON" },
} as const satisfies Flags;

export const doctor: Command = defineCommand({
  name: "doctor",
  summary: "Check the installation, and say how to fix each problem",
  usage: ["[options]", "--orphans [--end] [--host <pid>]"],
  examples: [
    ["hawser doctor", "Check everything; make no call"],
    ["hawser doctor --live", "Also ask the model for one word"],
    ["hawser doctor --json | jq .findings", "Print the findings as JSON"],
    ["hawser doctor --orphans --end", "Clean up after killed programs"],
  ],
  flags: FLAGS,
  notes:
    "Exit code: 0 if there is no problem (a warning is not a problem), else the code of the first\nproblem. With --orphans: 1 if anything is left. The doctor never prints a credential.",
  words: 0,
  run: async ({ flags }) => {
    if (flags.orphans) return listOrphans(flags);
    for (const name of ["end", "host"] as const) {
      if (flags[name]) throw usageError(`--${name} works only with --orphans.`);
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
    terminal.status("checking");
    for (const check of CHECKS) found.push(...(await check(context)));
    if (live) {
      terminal.status("asking the model");
      const { checkLiveCall } = await import("./doctor/check-live-call.js");
      found.push(await checkLiveCall(context, found));
    }
    terminal.status(undefined);
  }
  // Masks all findings again, because a path may also hold a secret.
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
    const which = folder === undefined ? "current folder" : `folder ${folder}`;
    return problem("cwd", "cwd_not_found", `The ${which} does not exist.`);
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
