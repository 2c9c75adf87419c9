import { resolve } from "node:path";
import { omitUndefined } from "../base/index.js";
import {
  CALL_FLAGS,
  callOptions,
  countOf,
  dollarsOf,
  durationOf,
  schemaIn,
} from "./command/call-flags.js";
import { type Command, defineCommand } from "./command/define-command.js";
import { type Flags, type Given, usageError } from "./command/flags.js";
import { readPrompt } from "./command/read-prompt.js";
import { FLEET_FLAGS, fleetPlace, momentOf, oneOf } from "./fleet/fleet-flags.js";
import { loadFleet, type SubmitCommand, type SubmitOptions } from "./fleet/fleet-module.js";
import { withFleetShell } from "./fleet/fleet-shell.js";

const FLAGS = {
  follow: { help: "Show what happens and the answer, until the run has ended" },
  file: { short: "f", value: "path", help: "Read the prompt from a file" },
  attach: { value: "path", many: true, help: "Attach an image, a PDF or a text file; repeatable" },
  schema: { value: "path", help: "JSON Schema of the value that the run returns" },
  tenant: { value: "name", help: "Who pays, and whose turn it is (default: default)" },
  profile: { value: "name", help: "Profile of the workers to run with (default: default)" },
  queue: { value: "name", help: "Only workers with this label take the run (default: default)" },
  priority: { value: "level", help: "low, normal or high (default: normal)" },
  key: { value: "text", help: "The same key of the same tenant is the same run" },
  session: { value: "id", help: "Continue this session of the fleet" },
  fork: { help: "With --session: continue in a copy of the session" },
  "on-busy": {
    value: "what",
    help: "If the session is busy: queue, reject or interrupt (default: queue)",
  },
  budget: { value: "dollars", help: "The most that this run may cost" },
  deadline: { value: "time", help: "Fail if it has not ended by then: 30m, or a date with a time" },
  "start-after": { value: "time", help: "Begin later: 30m, or a date with a time" },
  timeout: { value: "time", help: "Time of work, without waiting for a turn or for people" },
  attempts: { value: "n", help: "How many hosts may die of it before it fails (default: 3)" },
  metadata: { value: "name=text", many: true, help: "A note that the run carries; repeatable" },
  model: CALL_FLAGS.model,
  system: CALL_FLAGS.system,
  allow: CALL_FLAGS.allow,
  deny: CALL_FLAGS.deny,
  "max-turns": CALL_FLAGS["max-turns"],
  effort: CALL_FLAGS.effort,
  cwd: {
    short: "C",
    value: "folder",
    help: "Where --follow works on the run (default: an empty folder, removed later)",
  },
  cli: CALL_FLAGS.cli,
  database: FLEET_FLAGS.database,
  offline: { help: "Use a simulated model and a fleet of its own: no account, no network" },
  json: { help: "Print the run as JSON; with --follow, each event as a line of JSON" },
  quiet: { short: "q", help: "Print only the id, or with --follow the answer" },
} as const satisfies Flags;

export const submit: Command = defineCommand({
  name: "submit",
  summary: "Give a prompt to the workers of a fleet",
  usage: ["[options] <prompt>", "[options] --file prompt.md", "[options] < prompt.md"],
  examples: [
    ['hawser submit "Fix the failing test."', "Queue a run and print its id"],
    ['hawser submit --follow "Fix the failing test."', "Wait for it, and show what it does"],
    ['hawser submit --key nightly-17 --budget 2 "Triage."', "At most once, for at most 2 dollars"],
    ['hawser submit --session 3f2a… "And now the docs."', "Continue the session of an earlier run"],
    ['hawser submit --follow --offline "hello"', "Try it without an account and without a server"],
  ],
  flags: FLAGS,
  notes: `This command needs Node 22.12 and the package @hawser/fleet: npm install @hawser/fleet
A run stays in the database until a worker takes it, also if this program or the machine ends.
\`hawser runs\` shows it, \`hawser worker\` runs it, \`hawser approve\` answers its questions.
If the database is a folder of this machine, no worker lives, and the profile is default, --follow
works on the run itself. With --offline it does so also beside a worker. It does not if runs of other
profiles wait in the queue. Its tools ask you on the terminal.
Ctrl-C ends the following, not the run: \`hawser runs cancel\` does. A second Ctrl-C quits at once.
HAWSER_DATABASE names the database, too, so that a password is not on the command line.`,
  run: async ({ flags, words }) => {
    // Before the prompt is read, so that a wrong flag does not wait for stdin.
    const command = commandOf(flags);
    const fleet = await loadFleet("hawser submit");
    const warn = (text: string) => void process.stderr.write(`hawser: ${text}\n`);
    const { file, attach: attachments } = flags;
    const prompt = await readPrompt({ words, file, attachments, warn });
    return withFleetShell(flags, (shell) => fleet.submit({ ...command, prompt }, shell));
  },
});

type SubmitFlags = Given<typeof FLAGS>;

function commandOf(flags: SubmitFlags): Omit<SubmitCommand, "prompt"> {
  const { follow, cwd } = flags;
  if (!follow && cwd !== undefined) {
    throw usageError("--cwd is the folder of the worker of --follow. Use them together.");
  }
  return {
    place: fleetPlace(flags),
    options: optionsOf(flags),
    isFollowed: follow,
    ...(cwd === undefined ? {} : { cwd: resolve(cwd) }),
  };
}

function optionsOf(flags: SubmitFlags): SubmitOptions {
  const { priority, budget, deadline, timeout, attempts, schema, "on-busy": onBusy } = flags;
  const startAfter = flags["start-after"];
  const options: Record<keyof SubmitOptions, unknown> = {
    ...callOptionsOf(flags),
    tenant: flags.tenant,
    profile: flags.profile,
    // A worker with an account serves the queue "default", so it never takes a run for the simulated model.
    queue: flags.queue ?? (flags.offline ? "offline" : undefined),
    session: sessionOf(flags),
    onBusySession: onBusy && oneOf("--on-busy", onBusy, ["queue", "reject", "interrupt"]),
    priority: priority && oneOf("--priority", priority, ["low", "normal", "high"]),
    key: flags.key,
    budgetUsd: budget && dollarsOf("--budget", budget),
    startAfter: startAfter && momentOf("--start-after", startAfter),
    deadline: deadline && momentOf("--deadline", deadline),
    timeoutMs: timeout && durationOf("--timeout", timeout),
    attempts: attempts && countOf("--attempts", attempts),
    metadata: flags.metadata.length === 0 ? undefined : metadataOf(flags.metadata),
    schema: schema && schemaIn(schema),
  };
  return omitUndefined(options) as SubmitOptions;
}

/** The options that `ask` has as well, from the same flags. */
function callOptionsOf(flags: SubmitFlags) {
  const { model, systemPrompt, maxTurns, effort, allowedTools, disallowedTools } = callOptions({
    ...NO_CALL_FLAGS,
    ...{ model: flags.model, system: flags.system, effort: flags.effort },
    ...{ allow: flags.allow, deny: flags.deny, "max-turns": flags["max-turns"] },
  });
  return { model, systemPrompt, maxTurns, effort, allowedTools, disallowedTools };
}

const NO_CALL_FLAGS: Given<typeof CALL_FLAGS> = {
  ...{ model: undefined, system: undefined, tools: undefined, allow: [], deny: [] },
  ...{ mode: undefined, agent: undefined, mcp: undefined, trust: false, cwd: undefined },
  ...{ "add-dir": [], "max-turns": undefined, budget: undefined, effort: undefined },
  ...{ resume: undefined, continue: false, fork: false, cli: undefined },
};

function sessionOf({ session, fork }: SubmitFlags): SubmitOptions["session"] {
  if (!fork) return session;
  if (session === undefined) throw usageError("--fork needs a session: --session <id> --fork.");
  return { fork: session };
}

function metadataOf(pairs: readonly string[]): Record<string, string> {
  const entries = pairs.map((pair) => {
    const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(pair) ?? [];
    if (name === undefined || value === undefined) {
      throw usageError(`--metadata must be a name and a text such as ticket=17, not ${pair}.`);
    }
    return [name, value];
  });
  return Object.fromEntries(entries);
}
