import { omitUndefined } from "../base/index.js";
import { type Command, defineCommand } from "./command/define-command.js";
import { type Flags, type Given, usageError } from "./command/flags.js";
import { FLEET_FLAGS, fleetPlace } from "./fleet/fleet-flags.js";
import { type GivenDecision, loadFleet } from "./fleet/fleet-module.js";
import { withFleetShell } from "./fleet/fleet-shell.js";

const FLAGS = {
  allow: { help: "Allow the call or the plan" },
  session: { help: "With --allow: also allow what the question offers for its session" },
  deny: { value: "why", help: "Deny it; the model reads why" },
  answer: {
    value: "json",
    help: "Answer a question of the model or of a server with these fields",
  },
  by: { value: "name", help: "Who answers, for the record (default: the user of this machine)" },
  tenant: { value: "name", help: "Only questions of this tenant" },
  run: { value: "id", help: "Only questions of this run" },
  list: { help: "List the questions, also on a terminal" },
  watch: { help: "Go on, and ask each new question" },
  ...FLEET_FLAGS,
} as const satisfies Flags;

export const approve: Command = defineCommand({
  name: "approve",
  summary: "Answer the questions of runs that wait for a person",
  usage: [
    "[--tenant <name>] [--run <id>] [--list | --watch]",
    "<question>",
    "<question> --allow [--session]",
    "<question> --deny <why>",
    "<question> --answer <json>",
  ],
  examples: [
    ["hawser approve", "Ask you each open question, one after the other"],
    ["hawser approve --watch", "Ask you the questions of all runs as they come"],
    ["hawser approve 5e1c --allow", "Allow one call"],
    ['hawser approve 5e1c --deny "Not on Fridays."', "Deny it, and tell the model why"],
    ['hawser approve 5e1c --answer \'{"Which?":"The red one"}\'', "Answer a question of the model"],
    ["hawser approve --json", "List the open questions as JSON"],
  ],
  flags: FLAGS,
  notes: `This command needs Node 22.12 and the package @hawser/fleet: npm install @hawser/fleet
Without a question, hawser asks you on the terminal. If stdin or stderr is no terminal, and with
--list or --json, it lists the open questions instead.
Name a question by its id, or by the first characters of its id (at least four).
The first answer counts, wherever it comes from. A later one exits with 75 and says who was first.
Neither the worker nor this program has to run while a question waits.`,
  words: 1,
  run: async ({ flags, words: [approval] }) => {
    const decision = decisionOf(flags);
    refuseStray(flags, approval);
    const fleet = await loadFleet("hawser approve");
    const place = fleetPlace(flags);
    const { by, tenant, run, list, watch } = flags;
    return withFleetShell(flags, (shell) => {
      if (approval !== undefined) {
        return fleet.answerApproval({ place, approval, ...omitUndefined({ decision, by }) }, shell);
      }
      const filter = { place, ...omitUndefined({ tenant, run }) };
      const asks = shell.terminal.isInteractive && !list && !flags.json;
      if (asks)
        return fleet.askApprovals({ ...filter, isWatched: watch, ...omitUndefined({ by }) }, shell);
      if (watch) throw usageError("--watch asks on a terminal, and there is none.");
      return fleet.listApprovals(filter, shell);
    });
  },
});

type ApproveFlags = Given<typeof FLAGS>;

function decisionOf({ allow, session, deny, answer }: ApproveFlags): GivenDecision | undefined {
  const named = [
    ...(allow ? ["--allow"] : []),
    ...(deny === undefined ? [] : ["--deny"]),
    ...(answer === undefined ? [] : ["--answer"]),
  ];
  if (named.length > 1) throw usageError(`Use ${named.join(" or ")}, not both.`);
  if (session && !allow) throw usageError("--session needs --allow.");
  if (allow) return { type: "allow", scope: session ? "session" : "once" };
  if (deny !== undefined) return { type: "deny", message: deny };
  return answer === undefined ? undefined : { type: "answer", fields: fieldsOf(answer) };
}

function fieldsOf(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(`--answer is not JSON: ${(error as Error).message}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw usageError('--answer must be a JSON object such as {"Which?":"The red one"}.');
}

/** The flags of a list say nothing about one question, and the decisions say nothing about a list. */
function refuseStray(flags: ApproveFlags, approval: string | undefined): void {
  const ofList = (["tenant", "run", "list", "watch"] as const).find((name) => flags[name]);
  const ofOne = (["allow", "session", "deny", "answer"] as const).find((name) => flags[name]);
  if (approval !== undefined && ofList !== undefined) {
    throw usageError(`--${ofList} is for the list of questions, not for one question.`);
  }
  if (approval === undefined && ofOne !== undefined) {
    throw usageError(`--${ofOne} needs a question: hawser approve <question> --${ofOne}.`);
  }
  if (flags.list && flags.watch) throw usageError("Use --list or --watch, not both.");
}
