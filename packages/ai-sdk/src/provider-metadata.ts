import type { JSONObject, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { Completion } from "hawser";

/** The facts of a call that its metadata tells. `Completion` has them, and an agent's turn has them too. */
export type CallFacts = Pick<
  Completion<unknown>,
  "sessionId" | "costUsd" | "timing" | "credential" | "permissionDenials" | "stop" | "turns"
>;

/**
 * `providerMetadata` of a call: its session, cost, times, kind of credential, denied tool calls, stop and rounds. A
 * fact that is not known is absent.
 */
export function providerMetadata(facts: Partial<CallFacts>): SharedV4ProviderMetadata {
  const { sessionId, costUsd, timing, credential, permissionDenials, stop, turns } = facts;
  return {
    hawser: jsonObject({
      sessionId,
      costUsd,
      timing,
      credential: credential?.kind,
      permissionDenials,
      stop,
      turns,
    }),
  };
}

/** `JSON.stringify()` leaves out what is undefined. */
function jsonObject(facts: object): JSONObject {
  return JSON.parse(JSON.stringify(facts)) as JSONObject;
}
