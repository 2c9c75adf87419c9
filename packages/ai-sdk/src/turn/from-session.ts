import type { ResultMessage, Turn } from "hawser";
import type { TurnSource } from "./agent-turn.js";

/** A turn of a session that was opened with the options of `TurnHost.extend()`. */
export function fromSession(turn: Turn): TurnSource<ResultMessage> {
  return {
    messages: turn,
    outcome: turn.result,
    // An error of the interrupt surfaces through the result.
    interrupt: () => void turn.interrupt().catch(() => {}),
  };
}
