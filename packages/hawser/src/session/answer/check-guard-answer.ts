import { HawserError, isObject } from "../../base/index.js";

/**
 * Throws unless the CLI will accept this as the answer of a PreToolUse hook. An older CLI treats an answer
 * that it cannot read as no opinion, and runs a tool that is allowed otherwise.
 */
export function checkGuardAnswer(output: unknown): void {
  // The answer as it will arrive; JSON.stringify throws if it cannot be written.
  const answer: unknown = JSON.parse(JSON.stringify(output) ?? "null");
  const problem = problemIn(answer, ANSWER) ?? decisionProblem(answer);
  if (problem !== undefined) throw new HawserError("invalid_options", problem);
}

type Fields = Readonly<Record<string, (value: unknown) => boolean>>;

const isText = (value: unknown): boolean => typeof value === "string";
const isFlag = (value: unknown): boolean => typeof value === "boolean";

const ANSWER: Fields = {
  continue: isFlag,
  suppressOutput: isFlag,
  stopReason: isText,
  decision: oneOf("approve", "block"),
  reason: isText,
  systemMessage: isText,
  hookSpecificOutput: isObject,
};

const DECISION: Fields = {
  permissionDecision: oneOf("allow", "deny", "ask", "defer"),
  permissionDecisionReason: isText,
  updatedInput: isObject,
  additionalContext: isText,
};

function problemIn(value: unknown, fields: Fields): string | undefined {
  if (!isObject(value)) return "It must answer with an object.";
  for (const [name, fits] of Object.entries(fields)) {
    if (value[name] !== undefined && !fits(value[name])) {
      return `The field ${name} of its answer has no sense.`;
    }
  }
  return undefined;
}

function decisionProblem(answer: unknown): string | undefined {
  const decision = isObject(answer) ? answer["hookSpecificOutput"] : undefined;
  if (!isObject(decision)) return undefined;
  if (decision["hookEventName"] !== "PreToolUse") {
    return "Its hookSpecificOutput must have the hookEventName PreToolUse.";
  }
  return problemIn(decision, DECISION);
}

function oneOf(...values: readonly string[]): (value: unknown) => boolean {
  return (value) => typeof value === "string" && values.includes(value);
}
