import type { HawserError } from "../../base/index.js";
import type { ResultMessage } from "../../wire/index.js";
import type { LiveTurn } from "./turn.js";
import { wasInterrupted } from "./turn-costs.js";

/** A result that arrives despite an interrupt wins over the reason of the interrupt, unless it is an error. */
export function turnOutcome(turn: LiveTurn, result: ResultMessage): ResultMessage | HawserError {
  const failed = result.is_error || wasInterrupted(result);
  return failed ? (turn.interruptedBy ?? result) : result;
}
