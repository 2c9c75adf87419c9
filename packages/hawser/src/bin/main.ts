#!/usr/bin/env node
import {
  closestName,
  ERROR_CODES,
  HAWSER_VERSION,
  isHawserError,
  printable,
} from "../base/index.js";
import type { Command } from "./command/define-command.js";
import { describeError } from "./command/describe-error.js";
import { usageError } from "./command/flags.js";
import { guardOutput } from "./command/guard-output.js";
import { columns } from "./terminal/columns.js";

type Commands = Readonly<Record<string, () => Promise<Command>>>;

/** Each command is loaded when it is called, because `doctor`, for example, does not need the others. */
const OWN_COMMANDS: Commands = {
  ask: async () => (await import("./ask.js")).ask,
  chat: async () => (await import("./chat.js")).chat,
  council: async () => (await import("./council.js")).council,
  sessions: async () => (await import("./sessions.js")).sessions,
  explain: async () => (await import("./explain.js")).explain,
  doctor: async () => (await import("./doctor.js")).doctor,
  demo: async () => (await import("./demo.js")).demo,
};

/** Each of these commands needs one more package. */
const PACKAGE_COMMANDS: Commands = {
  serve: async () => (await import("./serve.js")).serve,
  inspect: async () => (await import("./inspect.js")).inspect,
};

const FLEET_COMMANDS: Commands = {
  submit: async () => (await import("./submit.js")).submit,
  runs: async () => (await import("./runs.js")).runs,
  approve: async () => (await import("./approve.js")).approve,
  worker: async () => (await import("./worker.js")).worker,
  fleet: async () => (await import("./fleet.js")).fleet,
};

const COMMANDS: Commands = { ...OWN_COMMANDS, ...PACKAGE_COMMANDS, ...FLEET_COMMANDS };

async function main([name = "--help", ...args]: readonly string[]): Promise<number> {
  if (name === "--version" || name === "-v") return say(`${HAWSER_VERSION}\n`);
  if (name === "--help" || name === "-h") return say(await overview());
  if (name === "help") return say(await (args[0] === undefined ? overview() : helpOf(args[0])));
  if (optionsIn(args).some((each) => each === "--help" || each === "-h")) {
    return say(await helpOf(name));
  }
  return (await find(name)).run(args);
}

async function find(name: string): Promise<Command> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load !== undefined) return load();
  const meant = closestName(name, Object.keys(COMMANDS));
  const hint = meant === undefined ? undefined : `Did you mean \`hawser ${meant}\`?`;
  throw usageError(`Unknown command ${JSON.stringify(name)}.`, hint);
}

async function helpOf(name: string): Promise<string> {
  return (await find(name)).help();
}

async function overview(): Promise<string> {
  return `Use Claude Code from a shell or a script. hawser runs the Claude Code CLI and adds time limits,
an exit code for each kind of failure, \`hawser doctor\`, and a simulated model to try it with.

Usage
  hawser <command> [options]

Commands
${await list(OWN_COMMANDS)}

Commands of other packages: serve of @hawser/gateway, inspect of @hawser/inspector
${await list(PACKAGE_COMMANDS)}

Commands of a fleet: agents that run on many machines (package @hawser/fleet, Node 22.12)
${await list(FLEET_COMMANDS)}

Options
  -h, --help     Show help; \`hawser <command> --help\` lists the options of a command
  -v, --version  Print the version of hawser

Try it without an account
  hawser ask --offline "hello"
  hawser demo

To ask a real model, install the Claude Code CLI, and log in or set ANTHROPIC_API_KEY;
\`hawser doctor\` checks both.
Every command accepts --json.
Exit codes: 0 success, 64 wrong usage, 75 try again later, 77 not logged in, not paid or not
permitted, 124 time limit, 127 Claude Code CLI not found, 130 stopped by Ctrl-C. The file
docs/errors.md in the package lists the exit code of each error.
`;
}

async function list(commands: Commands): Promise<string> {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()));
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  return columns(loaded.map(({ name, summary }) => [`hawser ${name.padEnd(width)}`, summary]));
}

/** Prints warnings of the library as lines of the command. Node would add its own name and a process id. */
function showWarnings(): void {
  // Node shows none with --no-warnings.
  if (process.listenerCount("warning") === 0) return;
  process.removeAllListeners("warning");
  process.on("warning", (warning: Error & { readonly code?: string }) => {
    const { code } = warning;
    // Clears the status line, if there is one.
    const start = process.stderr.isTTY ? "\r\x1b[K" : "";
    const isOurs = warning.name === "HawserWarning" || code === TYPELESS_MODULE;
    // The command has a flag for this option of the library.
    const message = warning.message.replace("trustProject: true", "--trust");
    const text = isOurs ? message : (warning.stack ?? "");
    process.stderr.write(`${start}hawser: ${printable(text)}\n`);
  });
}

/** Node's warning of a module of the user, such as that of --profiles, whose package.json has no `type`. */
const TYPELESS_MODULE = "MODULE_TYPELESS_PACKAGE_JSON";

function say(text: string): number {
  process.stdout.write(text);
  return 0;
}

function fail(error: unknown, args: readonly string[]): number {
  const isKnown = isHawserError(error);
  if (wantsJson(args)) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const told = isKnown ? { ...error.toJSON(), ...describeError(error) } : { name, message };
    process.stdout.write(`${JSON.stringify({ error: told })}\n`);
  } else if (isKnown) {
    const { message, hint } = describeError(error);
    process.stderr.write(`hawser: ${printable(message)}\n${printable(hint)}\n`);
  } else {
    const about = printable((error as Error)?.stack ?? String(error));
    process.stderr.write(`hawser: unexpected error, a bug in hawser.\n${about}\n`);
  }
  return isKnown ? ERROR_CODES[error.code].exitCode : INTERNAL_ERROR;
}

function wantsJson(args: readonly string[]): boolean {
  return optionsIn(args).some((each) => each === "--json" || each.startsWith("--json="));
}

/** The arguments before `--`. Arguments after it are words, never options. */
function optionsIn(args: readonly string[]): readonly string[] {
  return args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
}

const INTERNAL_ERROR = 70;

guardOutput();
showWarnings();
const args = process.argv.slice(2);
try {
  process.exitCode = await main(args);
} catch (error) {
  process.exitCode = fail(error, args);
}
