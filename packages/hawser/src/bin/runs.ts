import { omitUndefined } from "../base/index.js";
import { chooseVerb, type Verb } from "./command/choose-verb.js";
import { type Command, defineCommand } from "./command/define-command.js";
import { type Flags, type Given, usageError } from "./command/flags.js";
import { FLEET_FLAGS, type FleetPlace, fleetPlace, oneOf } from "./fleet/fleet-flags.js";
import { type FleetModule, loadFleet, type RunState } from "./fleet/fleet-module.js";
import { type FleetShell, withFleetShell } from "./fleet/fleet-shell.js";

const FLAGS = {
  tenant: { value: "name", help: "list: only runs of this tenant" },
  state: { value: "states", help: "list: only runs in these states, such as running,waiting" },
  session: { value: "id", help: "list: only runs of this session" },
  limit: { short: "n", value: "n", help: "list: how many runs to show (default: 20)" },
  after: { value: "n", help: "follow: begin after the event with this number" },
  reason: { value: "text", help: "cancel: why; the run keeps it" },
  ...FLEET_FLAGS,
} as const satisfies Flags;

interface Call {
  readonly fleet: FleetModule;
  readonly shell: FleetShell;
  readonly place: FleetPlace;
  readonly words: readonly string[];
  readonly flags: Given<typeof FLAGS>;
}

const MANY = Number.POSITIVE_INFINITY;

const VERBS: Readonly<Record<string, Verb<typeof FLAGS, Call>>> = {
  list: {
    flags: ["tenant", "state", "session", "limit"],
    words: [0, 0],
    run: ({ fleet, shell, place, flags }) => {
      const { tenant, session } = flags;
      const command = {
        place,
        ...omitUndefined({ tenant, session, state: statesOf(flags.state) }),
      };
      return fleet.listRuns({ ...command, limit: limitOf(flags.limit) }, shell);
    },
  },
  show: {
    flags: [],
    words: [1, 1],
    needs: "a run",
    run: ({ fleet, shell, place, words: [run = ""] }) => fleet.showRun({ place, run }, shell),
  },
  follow: {
    flags: ["after"],
    words: [1, 1],
    needs: "a run",
    run: ({ fleet, shell, place, flags, words: [run = ""] }) =>
      fleet.followRun({ place, run, ...omitUndefined({ after: afterOf(flags.after) }) }, shell),
  },
  cancel: {
    flags: ["reason"],
    words: [1, MANY],
    needs: "a run",
    run: ({ fleet, shell, place, flags: { reason }, words }) =>
      fleet.cancelRuns({ place, runs: words, ...omitUndefined({ reason }) }, shell),
  },
  retry: {
    flags: [],
    words: [1, MANY],
    needs: "a run",
    run: ({ fleet, shell, place, words }) => fleet.retryRuns({ place, runs: words }, shell),
  },
};

export const runs: Command = defineCommand({
  name: "runs",
  summary: "List, show, follow, cancel and retry the runs of a fleet",
  usage: [
    "[list] [--tenant <name>] [--state <states>] [--session <id>]",
    "show <run>",
    "follow <run> [--after <n>]",
    "cancel <run>… [--reason <text>]",
    "retry <run>…",
  ],
  examples: [
    ["hawser runs", "List the newest runs"],
    ["hawser runs --state failed", "List those that failed"],
    ["hawser runs show 3f2a91c4", "Show one, with its answer or its error"],
    ["hawser runs follow 3f2a91c4", "Show what it does, until it has ended"],
    ["hawser runs cancel 3f2a91c4", "Stop it, wherever it runs"],
    ["hawser runs retry 3f2a91c4", "Put a run that failed back into the queue"],
    ["hawser runs --json | jq -r '.runs[].id'", "Print the ids"],
  ],
  flags: FLAGS,
  notes: `This command needs Node 22.12 and the package @hawser/fleet: npm install @hawser/fleet
Name a run by its id, or by the first characters of its id (at least four).
States: queued (waits for a worker), held (waits for an earlier run of its session), running,
waiting (a person must answer: \`hawser approve\`), done, failed, cancelled.
\`follow\` exits with the code of the run's error, and with 130 if it was cancelled.`,
  run: async ({ flags, words: [verb = "list", ...words] }) => {
    const { run } = chooseVerb({ command: "runs", verbs: VERBS, verb, words, flags });
    const fleet = await loadFleet("hawser runs");
    const place = fleetPlace(flags);
    return withFleetShell(flags, (shell) => run({ fleet, shell, place, words, flags }));
  },
});

function statesOf(text: string | undefined): RunState[] | undefined {
  return text?.split(",").map((state) => oneOf("--state", state.trim(), STATES));
}

const STATES: readonly RunState[] = [
  ...(["queued", "held", "running", "waiting"] as const),
  ...(["done", "failed", "cancelled"] as const),
];

function limitOf(text: string | undefined): number {
  if (text === undefined) return USUAL_LIMIT;
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= MOST) return limit;
  throw usageError(`--limit must be a whole number from 1 to ${MOST}, not ${text}.`);
}

const USUAL_LIMIT = 20;
const MOST = 10_000;

function afterOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw usageError(`--after must be the number of an event, not ${text}.`);
}
