import { randomUUID } from "node:crypto";
import type { Approval, ApprovalDecision } from "hawser";
import type { Claim } from "../../runs/claims.js";
import type { ToolIntent } from "../../runs/run.js";

/** The question to a person before a run goes on whose host was lost in a tool call, for `onUncertain: "ask"`. */
export function uncertainQuestion(claim: Claim, uncertain: readonly ToolIntent[]): Approval {
  const calls = uncertain.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`);
  const question = `The machine was lost while these calls ran, and nobody knows whether they took effect: ${calls.join("; ")}. Shall the run go on?`;
  const questions = [
    {
      question,
      header: "Machine lost",
      options: [{ label: GO_ON }, { label: "Stop" }],
      multiSelect: false,
    },
  ];
  return {
    kind: "question",
    id: randomUUID(),
    askedAt: new Date().toISOString(),
    sessionId: claim.run.sessionId,
    summary: question.slice(0, LONGEST_SUMMARY),
    tool: "AskUserQuestion",
    input: { questions },
    // One question for each death, also if the host that asks dies as well.
    toolUseId: `uncertain-${Math.max(...uncertain.map(({ segment }) => segment))}`,
    questions,
  };
}

const GO_ON = "Go on";
const LONGEST_SUMMARY = 200;

/** Whether the person lets the run go on. */
export function letsGoOn(decision: ApprovalDecision): boolean {
  if (decision.behavior === "allow") return true;
  return decision.behavior === "answer" && Object.values(decision.answers).flat().includes(GO_ON);
}
