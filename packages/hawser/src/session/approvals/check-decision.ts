import { isDeepStrictEqual } from "node:util";
import { isObject, kind, type Problem, throwIfInvalid } from "../../base/index.js";
import type { Approval } from "./approval.js";
import type { AllowDecision, ApprovalDecision } from "./approval-decision.js";

/**
 * Throws `invalid_options` unless the decision fits the question. Returns a copy of the decision, which
 * the caller of `answer()` cannot change any more.
 *
 * @example
 * ```ts
 * const decision = checkDecision(approval, JSON.parse(body));
 * ```
 */
export function checkDecision(approval: Approval, decision: unknown): ApprovalDecision {
  throwIfInvalid(problemsOf(approval, decision));
  return JSON.parse(JSON.stringify(decision)) as ApprovalDecision;
}

/** Whether the tool gets another input than the model wrote. */
export function isEdited(approval: Approval, decision: ApprovalDecision | undefined): boolean {
  if (decision?.behavior !== "allow" || decision.updatedInput === undefined) return false;
  return !("input" in approval && isDeepStrictEqual(decision.updatedInput, approval.input));
}

function* problemsOf(approval: Approval, decision: unknown): Iterable<Problem> {
  if (!isObject(decision)) return yield kind.notA("an object", decision, "decision");
  const { behavior } = decision;
  const fitting = BEHAVIORS[approval.kind];
  if (typeof behavior !== "string" || !fitting.includes(behavior)) {
    yield* kind.oneOf(...fitting).problems(behavior, "decision.behavior");
    return;
  }
  const problems = [...(SHAPES[behavior]?.problems(decision, "decision") ?? [])];
  yield* problems;
  if (problems.length > 0) return;
  if (behavior === "allow") yield* scopeProblems(approval, decision as unknown as AllowDecision);
  if (approval.kind === "question" && isObject(decision["answers"])) {
    const asked = approval.questions.map(({ question }) => question);
    yield* answerProblems(asked, Object.keys(decision["answers"]));
  }
}

const BEHAVIORS: Readonly<Record<Approval["kind"], readonly string[]>> = {
  tool: ["allow", "deny"],
  plan: ["allow", "deny"],
  question: ["answer", "deny"],
  elicitation: ["accept", "decline", "cancel"],
};

const ANSWER = kind.either(
  "answer",
  "a string or an array of strings",
  [kind.isString, kind.string],
  [Array.isArray, kind.listOf(kind.string)],
);

const VALUE = kind.either(
  "value",
  "a string, a number, a boolean or an array of strings",
  [kind.isString, kind.string],
  [(value) => typeof value === "boolean", kind.boolean],
  [(value) => typeof value === "number", kind.rank],
  [Array.isArray, kind.listOf(kind.string)],
);

const BEHAVIOR = { behavior: kind.string };

const SHAPES: Readonly<Record<string, kind.Kind>> = {
  allow: kind.shape(
    { ...BEHAVIOR, updatedInput: kind.json, scope: kind.oneOf("once", "session") },
    [],
    "refuse",
  ),
  deny: kind.shape({ ...BEHAVIOR, message: kind.string, interrupt: kind.boolean }, [], "refuse"),
  answer: kind.shape({ ...BEHAVIOR, answers: kind.recordOf(ANSWER) }, ["answers"], "refuse"),
  accept: kind.shape({ ...BEHAVIOR, content: kind.recordOf(VALUE) }, [], "refuse"),
  decline: kind.shape(BEHAVIOR, [], "refuse"),
  cancel: kind.shape(BEHAVIOR, [], "refuse"),
};

function* scopeProblems(approval: Approval, decision: AllowDecision): Iterable<Problem> {
  if (decision.scope !== "session") return;
  const path = "decision.scope";
  if (approval.kind !== "tool" || approval.sessionGrant === undefined) {
    yield { path, message: 'must be "once": this question has no `sessionGrant`' };
  } else if (isEdited(approval, decision)) {
    yield { path, message: 'must be "once" with a changed `updatedInput`' };
  }
}

function* answerProblems(asked: readonly string[], answered: readonly string[]): Iterable<Problem> {
  for (const question of asked) {
    const path = kind.at("decision.answers", question);
    if (!answered.includes(question)) yield { path, message: "is missing" };
  }
  for (const question of answered) {
    const path = kind.at("decision.answers", question);
    if (!asked.includes(question)) yield { path, message: "is no question" };
  }
}
