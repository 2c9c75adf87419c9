import {
  type HarnessV1QuestionsToolInput,
  harnessV1QuestionsToolOutputSchema,
} from "@ai-sdk/harness";
import type { ApprovalDecision, QuestionApproval } from "hawser";

/** The questions of the model, in the form that all harnesses share. */
export function questionsInput({ questions }: QuestionApproval): HarnessV1QuestionsToolInput {
  return {
    allowPartialAnswers: true,
    questions: questions.map(({ question, header, options, multiSelect }, index) => ({
      id: idOf(index),
      question,
      ...(header === undefined ? {} : { header }),
      // The labels of a question differ from each other.
      options: options.map(({ label, description }) => ({
        id: label,
        label,
        ...(description === undefined ? {} : { description }),
      })),
      allowMultiple: multiSelect,
      allowFreeForm: true,
    })),
  };
}

/** The host's answer to the questions as a decision for the CLI. Something else than an answer declines. */
export function questionsDecision(
  { questions }: QuestionApproval,
  output: unknown,
): ApprovalDecision {
  const parsed = harnessV1QuestionsToolOutputSchema.safeParse(output);
  if (!parsed.success || !("answers" in parsed.data)) {
    return { behavior: "deny", message: "The user did not answer the questions." };
  }
  const answers = new Map<string, string | readonly string[]>();
  for (const [index, { question, multiSelect }] of questions.entries()) {
    const answer = parsed.data.answers[idOf(index)];
    if (answer === undefined) continue;
    const { optionIds, freeform } = answer;
    const chosen = freeform === undefined ? optionIds : [...optionIds, freeform];
    if (chosen.length > 0) answers.set(question, multiSelect ? chosen : chosen.join(", "));
  }
  return { behavior: "answer", answers: Object.fromEntries(answers) };
}

function idOf(index: number): string {
  return `question_${index + 1}`;
}
