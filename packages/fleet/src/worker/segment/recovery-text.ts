import type { ApprovalDecision } from "hawser";
import type { Claim } from "../../runs/claims.js";
import type { ToolIntent } from "../../runs/run.js";

/** The results of calls that no CLI will report any more. The model reads them. */
export const CALL_TEXT = {
  /** The call was written down, so it may have begun. */
  uncertain:
    "The machine that ran this call was lost before the call ended. Nobody knows whether it took effect, wholly or in part. Check before you repeat it.",
  /** The call was marked as ended, and its result did not reach the transcript. */
  ended:
    "This call ended, but the machine was lost before its result was stored. Look at what it did before you repeat it.",
  /** The call was not written down, so it has not begun. */
  notBegun: "This call was not made: the work was interrupted before it could begin.",
  notDecided:
    "This call was not made: another call of the same message waited for the decision of a person. Make it again if it is still needed.",
  withdrawn: "This call was not made: the work was ended before a person had decided about it.",
} as const;

/** The result of a call that a person has allowed, and that the model must make again. */
export function allowedText(decision: ApprovalDecision): string {
  const input = decision.behavior === "allow" ? decision.updatedInput : undefined;
  return input === undefined
    ? "A person has allowed this call. It has not been made yet. Make it again now, with exactly the same input."
    : `A person has allowed this call with another input. It has not been made yet. Make it now, with exactly this input: ${JSON.stringify(input)}`;
}

/** The prompt with which a run goes on after its host was lost or gave it back. */
export function recoveryPrompt(how: Claim["how"], uncertain: readonly ToolIntent[]): string {
  const first = FIRST_SENTENCE[how];
  const calls = uncertain.length === 0 ? [] : ["", UNCERTAIN, ...uncertain.map(lineOf), "", CHECK];
  return [first, ...calls].join("\n");
}

const FIRST_SENTENCE = {
  recovered:
    "The machine that worked on this was lost, and the work goes on here. Continue where it stopped.",
  returned: "The work was interrupted, and goes on now. Continue where it stopped.",
  /** The run failed, and somebody has asked for another try. */
  new: "The work on this ended with an error, and is tried again. Continue where it stopped.",
  answered: "The question has been answered. Continue where the work stopped.",
} as const satisfies Record<Claim["how"], string>;

const UNCERTAIN = "These tool calls were begun, and nobody knows whether they took effect:";
const CHECK = "Check what they did before you repeat any of them.";

function lineOf({ tool, input }: ToolIntent): string {
  const text = JSON.stringify(input);
  return `- ${tool} ${text.length > LONGEST_INPUT ? `${text.slice(0, LONGEST_INPUT)}…` : text}`;
}

const LONGEST_INPUT = 2_000;
