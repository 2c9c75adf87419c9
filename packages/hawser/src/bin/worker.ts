import { resolve } from "node:path";
import { omitUndefined } from "../base/index.js";
import { CALL_FLAGS, countOf, durationOf } from "./command/call-flags.js";
import { type Command, defineCommand } from "./command/define-command.js";
import type { Flags, Given } from "./command/flags.js";
import { FLEET_FLAGS, fleetPlace } from "./fleet/fleet-flags.js";
import { loadFleet, type WorkCommand } from "./fleet/fleet-module.js";
import { withFleetShell } from "./fleet/fleet-shell.js";

const FLAGS = {
  profiles: { value: "file", help: "Module with the profiles: what this worker can run" },
  slots: { value: "n", help: "How many runs at once (default: by memory and cores)" },
  label: {
    value: "name",
    many: true,
    help: "Queue to serve (default: default; with --offline, offline); repeatable",
  },
  name: { value: "text", help: "Name of this worker (default: the host and the process id)" },
  hold: { value: "time", help: "How long a process waits for a person (default: 5s)" },
  "approval-timeout": { value: "time", help: "Deny a question after this time (default: never)" },
  drain: { value: "time", help: "How long runs may go on after SIGTERM (default: 30s)" },
  cwd: {
    short: "C",
    value: "folder",
    help: "Where all runs work (default: an empty folder each, removed later)",
  },
  cli: CALL_FLAGS.cli,
  database: FLEET_FLAGS.database,
  offline: { help: "Answer the runs of --offline with a simulated model" },
  json: { help: "Print the start message as JSON, too" },
} as const satisfies Flags;

export const worker: Command = defineCommand({
  name: "worker",
  summary: "Work on the runs of a fleet",
  usage: ["[options]"],
  examples: [
    ["hawser worker --profiles ./profiles.mjs --slots 4", "Work with the profiles of a module"],
    ["hawser worker --database postgres://db.internal/agents", "Share a database with other hosts"],
    ["hawser worker --cwd .", "Let all runs work in this folder"],
    ["hawser worker --offline", "Answer with a simulated model, to try it"],
  ],
  flags: FLAGS,
  notes: `This command needs Node 22.12 and the package @hawser/fleet: npm install @hawser/fleet
The module of --profiles exports \`profiles\`: by name, the options of a session, or a function of the
run that returns them. It can also export \`workspace\`, \`credential\`, \`approve\`, \`onUncertain\` and
\`onRecover\`, as fleet.work() takes them. Without --profiles, the worker knows one profile, default:
Claude Code itself.
SIGTERM and Ctrl-C let the runs end, and give back those that do not end in time; a second one ends
the worker at once, and gives back what it can. Another worker continues what was given back.
The log goes to stdout as JSON lines, without prompts and answers.`,
  words: 0,
  run: async ({ flags }) => {
    const command = commandOf(flags);
    const fleet = await loadFleet("hawser worker");
    return withFleetShell(flags, (shell) => fleet.work(command, shell));
  },
});

function commandOf(flags: Given<typeof FLAGS>): WorkCommand {
  const { profiles, slots, label, name, hold, drain, cwd, offline } = flags;
  const limit = flags["approval-timeout"];
  const labels = label.length > 0 ? label : offline ? ["offline"] : undefined;
  return {
    place: fleetPlace(flags),
    ...omitUndefined({
      profiles: profiles === undefined ? undefined : resolve(profiles),
      slots: slots === undefined ? undefined : countOf("--slots", slots),
      labels,
      name,
      holdMs: hold === undefined ? undefined : durationOf("--hold", hold),
      approvalTimeoutMs: limit === undefined ? undefined : durationOf("--approval-timeout", limit),
      drainMs: drain === undefined ? undefined : durationOf("--drain", drain),
      cwd: cwd === undefined ? undefined : resolve(cwd),
    }),
  };
}
