import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { HawserError } from "../base/index.js";
import type { CliProcess } from "../process/index.js";
import { type ResultMessage, userLine } from "../wire/index.js";
import { roundTrip } from "./round-trip.js";
import type { SessionCore } from "./session-core.js";
import { withPhaseLimit } from "./timeouts.js";

/** A process after its session, for the next session. */
export interface ResetProcess {
  readonly process: CliProcess;
  /** The result of the reset: names the new conversation, and the totals that the CLI counts on from. */
  readonly result: ResultMessage;
}

/**
 * Makes the CLI begin a new conversation, and detaches its process. Throws if the CLI does not confirm the
 * new conversation or is not idle afterwards, because then the process must not serve another caller.
 */
export async function resetAndDetach(
  core: SessionCore,
  session: object,
  limitMs: number,
): Promise<ResetProcess> {
  const { model } = core.connection;
  const { strays } = core.turns;
  // The reset is no turn of the caller.
  core.connection.observation.end("detached");
  // The caller gets its answer first, because the write that begins the reset costs more than all that is
  // left of the call (observed: half a millisecond, in which the system runs the CLI).
  await nextTurn();
  const result = await withPhaseLimit(clear(core, session), "reset", limitMs);
  // Before its first turn the CLI had named no model.
  if (model !== undefined && core.connection.model !== model)
    throw notReset("the model is another one");
  if (core.turns.strays !== strays) throw notReset("the CLI sent other messages too");
  const process = core.detach();
  if (process === undefined) throw notReset("something was still under way afterwards");
  return { process, result };
}

async function clear(core: SessionCore, session: object): Promise<ResultMessage> {
  const before = core.connection.id;
  const uuid = randomUUID();
  const turn = core.turns.send({ uuid, message: userLine(CLEAR, { uuid }) }, session);
  turn.keepsMessages = false;
  const result = await turn.result;
  // Checked at once, because a CLI that cannot reset may never answer the request below.
  const problem = whyNotReset(result, before);
  if (problem !== undefined) throw notReset(problem);
  await core.idle(session);
  // Nothing of the reset comes after this.
  await roundTrip(core);
  return result;
}

const CLEAR = "/clear";

function whyNotReset(result: ResultMessage, before: string | undefined): string | undefined {
  const { subtype, is_error, num_turns, session_id, total_cost_usd } = result;
  if (subtype !== "success" || is_error) return "the CLI reported a failure";
  if (num_turns !== 0) return `the CLI reported num_turns: ${num_turns}`;
  if (result.result !== "") return "the CLI answered it like a prompt";
  if (typeof session_id !== "string" || session_id === "") return "the CLI named no session";
  if (session_id === before) return "the session id did not change";
  return typeof total_cost_usd === "number" ? undefined : "the CLI named no cost";
}

function notReset(why: string): HawserError {
  return new HawserError("protocol_error", `The conversation was not reset: ${why}.`);
}
