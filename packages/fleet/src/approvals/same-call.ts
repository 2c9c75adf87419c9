import { isDeepStrictEqual } from "node:util";
import type { Approval } from "hawser";

/** A question about a tool call. */
export type CallQuestion = Exclude<Approval, { readonly kind: "elicitation" }>;

/** Whether the call that is asked about now is the one that a person was asked about: the same tool and input. */
export function isSameCall(asked: CallQuestion, now: CallQuestion): boolean {
  const [before, input] = [asStored(asked.input), asStored(now.input)];
  // Observed: the CLI adds the text and the file of a plan to the call, but not when it begins with the call again.
  const seen = now.kind === "plan" ? { ...before, ...input } : input;
  return asked.tool === now.tool && isDeepStrictEqual(before, seen);
}

/** A stored question has no fields that are undefined. */
function asStored(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(input));
}
