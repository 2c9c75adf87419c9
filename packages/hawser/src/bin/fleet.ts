import { resolve } from "node:path";
import { omitUndefined } from "../base/index.js";
import { countOf, dollarsOf, durationOf } from "./command/call-flags.js";
import { chooseVerb, type Verb } from "./command/choose-verb.js";
import { type Command, defineCommand } from "./command/define-command.js";
import { type Flags, type Given, usageError } from "./command/flags.js";
import {
  databaseOf,
  FLEET_FLAGS,
  type FleetPlace,
  fleetPlace,
  momentOf,
  oneOf,
} from "./fleet/fleet-flags.js";
import { type FleetModule, loadFleet, type SetTenantCommand } from "./fleet/fleet-module.js";
import { type FleetShell, withFleetShell } from "./fleet/fleet-shell.js";

const FLAGS = {
  from: { value: "folder", help: "move: programs of the Postgres that made the data" },
  to: { value: "place", help: "move: programs of the new Postgres; copy: the database to copy to" },
  "older-than": { value: "time", help: "prune: delete runs that ended longer ago, such as 30d" },
  concurrency: { value: "n", help: "set: runs at once over the whole fleet; none for no limit" },
  weight: { value: "n", help: "tenant set: its share beside the other tenants (default: 1)" },
  "budget-day": { value: "dollars", help: "tenant set: most in a day; none for no limit" },
  "budget-month": { value: "dollars", help: "tenant set: most in a month; none for no limit" },
  "budget-total": { value: "dollars", help: "tenant set: most in all; none for no limit" },
  "on-budget": { value: "what", help: "tenant set: refuse or wait when a budget is spent" },
  account: { value: "name", help: "tenant set: the account whose key its runs use" },
  pause: { help: "tenant set: begin none of its runs" },
  "pause-until": { value: "time", help: "account set: begin nothing before: 30m, or a date" },
  resume: { help: "set: end the pause" },
  ...FLEET_FLAGS,
} as const satisfies Flags;

type FleetFlags = Given<typeof FLAGS>;

interface Call {
  readonly fleet: FleetModule;
  readonly shell: FleetShell;
  readonly place: FleetPlace;
  readonly words: readonly string[];
  readonly flags: FleetFlags;
}

const VERBS: Readonly<Record<string, Verb<typeof FLAGS, Call>>> = {
  status: {
    flags: [],
    words: [0, 0],
    run: ({ fleet, shell, place }) => fleet.showStatus(place, shell),
  },
  migrate: {
    flags: [],
    words: [0, 0],
    run: ({ fleet, shell, place }) => fleet.migrate(place, shell),
  },
  move: {
    flags: ["from", "to"],
    words: [0, 0],
    run: ({ fleet, shell, place, flags: { from, to } }) => {
      const folders = omitUndefined({ from: from && resolve(from), to: to && resolve(to) });
      return fleet.moveDatabase({ place, ...folders }, shell);
    },
  },
  copy: {
    flags: ["to"],
    words: [0, 0],
    run: ({ fleet, shell, place, flags: { to } }) => {
      if (to === undefined) throw usageError("`hawser fleet copy` needs --to <place>.");
      return fleet.copyDatabase({ place, to: databaseOf("--to", to) }, shell);
    },
  },
  prune: {
    flags: ["older-than"],
    words: [0, 0],
    run: ({ fleet, shell, place, flags }) => {
      const age = flags["older-than"];
      if (age === undefined) throw usageError("`hawser fleet prune` needs --older-than <time>.");
      const olderThan = new Date(Date.now() - durationOf("--older-than", age));
      return fleet.prune({ place, olderThan }, shell);
    },
  },
  "tenant set": {
    flags: [
      ...(["concurrency", "weight", "budget-day", "budget-month", "budget-total"] as const),
      ...(["on-budget", "account", "pause", "resume"] as const),
    ],
    words: [1, 1],
    needs: "a tenant",
    run: ({ fleet, shell, place, flags, words: [tenant = ""] }) =>
      fleet.setTenant({ place, tenant, limits: someOf(tenantLimits(flags)) }, shell),
  },
  "tenant show": {
    flags: [],
    words: [1, 1],
    needs: "a tenant",
    run: ({ fleet, shell, place, words: [tenant = ""] }) =>
      fleet.showTenant({ place, tenant }, shell),
  },
  "account set": {
    flags: ["concurrency", "pause-until", "resume"],
    words: [1, 1],
    needs: "an account",
    run: ({ fleet, shell, place, flags, words: [account = ""] }) =>
      fleet.setAccount({ place, account, limits: someOf(accountLimits(flags)) }, shell),
  },
};

export const fleet: Command = defineCommand({
  name: "fleet",
  summary: "Look after a fleet: its state, its database, its tenants",
  usage: [
    "[status]",
    "migrate",
    "move [--from <folder>] [--to <folder>]",
    "copy --to <place>",
    "prune --older-than <time>",
    "tenant set <tenant> [limits]",
    "tenant show <tenant>",
    "account set <account> [limits]",
  ],
  examples: [
    ["hawser fleet", "Show runs, workers, questions and accounts"],
    ["hawser fleet migrate", "Bring the tables up to date"],
    ["hawser fleet move", "Bring a folder to the newest Postgres of this machine"],
    ["hawser fleet copy --to postgres://db.internal/agents", "Copy a folder to a server"],
    ["hawser fleet prune --older-than 30d", "Delete what ended a month ago"],
    ["hawser fleet tenant set alice --concurrency 4 --budget-day 20", "Limit a tenant"],
    ["hawser fleet tenant show alice", "Show its limits, and what it spent today"],
    ["hawser fleet account set default --pause-until 30m", "Begin nothing for half an hour"],
  ],
  flags: FLAGS,
  notes: `This command needs Node 22.12 and the package @hawser/fleet: npm install @hawser/fleet
A limit that is not named stays as it is. Limits count over all workers of the fleet.
\`move\` is for a folder whose data another major version of Postgres wrote; the old data stays beside
the new. \`copy\` copies a whole fleet into a database that has none. Stop the workers before both.`,
  run: async ({ flags, words }) => {
    const { verb, rest } = verbIn(words);
    const { run } = chooseVerb({ command: "fleet", verbs: VERBS, verb, words: rest, flags });
    const module = await loadFleet("hawser fleet");
    const place = fleetPlace(flags);
    return withFleetShell(flags, (shell) =>
      run({ fleet: module, shell, place, words: rest, flags }),
    );
  },
});

/** The verbs about tenants and accounts have two words. */
function verbIn([first = "status", second, ...more]: readonly string[]) {
  if (first !== "tenant" && first !== "account") {
    return { verb: first, rest: second === undefined ? [] : [second, ...more] };
  }
  return { verb: second === undefined ? first : `${first} ${second}`, rest: more };
}

function tenantLimits(flags: FleetFlags): SetTenantCommand["limits"] {
  const { concurrency, weight, account, "on-budget": onBudget } = flags;
  const budgets = omitUndefined({
    day: dollarsOrNone(flags, "budget-day"),
    month: dollarsOrNone(flags, "budget-month"),
    total: dollarsOrNone(flags, "budget-total"),
  });
  return omitUndefined({
    concurrency: countOrNone(concurrency),
    weight: weight === undefined ? undefined : weightOf(weight),
    budgetUsd: Object.keys(budgets).length === 0 ? undefined : budgets,
    onBudget:
      onBudget === undefined ? undefined : oneOf("--on-budget", onBudget, ["refuse", "wait"]),
    paused: pausedIn(flags),
    account,
  });
}

function pausedIn({ pause, resume }: FleetFlags): boolean | undefined {
  if (pause && resume) throw usageError("Use --pause or --resume, not both.");
  return pause || resume ? pause : undefined;
}

function accountLimits(flags: FleetFlags) {
  const until = flags["pause-until"];
  if (until !== undefined && flags.resume) {
    throw usageError("Use --pause-until or --resume, not both.");
  }
  return omitUndefined({
    concurrency: countOrNone(flags.concurrency),
    pausedUntil:
      until === undefined ? (flags.resume ? null : undefined) : momentOf("--pause-until", until),
  });
}

function someOf<Limits extends object>(limits: Limits): Limits {
  if (Object.keys(limits).length > 0) return limits;
  throw usageError("There is nothing to set.", "Name a limit, such as --concurrency 4.");
}

function countOrNone(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  return text === "none" ? null : countOf("--concurrency", text);
}

function dollarsOrNone(
  flags: FleetFlags,
  name: "budget-day" | "budget-month" | "budget-total",
): number | null | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  return text === "none" ? null : dollarsOf(`--${name}`, text);
}

function weightOf(text: string): number {
  const weight = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && weight > 0) return weight;
  throw usageError(`--weight must be a number above 0, not ${text}.`);
}
