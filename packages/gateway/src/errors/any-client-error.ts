import { type AnthropicErrorBody, anthropicErrorBody } from "./anthropic-error.js";
import { type OpenaiErrorBody, openaiErrorBody } from "./openai-error.js";
import type { Problem } from "./problem.js";

/** An error for a client whose API is not known, because its request could not be read. Both APIs can read it. */
export function anyClientErrorBody(problem: Problem): AnthropicErrorBody & OpenaiErrorBody {
  const anthropic = anthropicErrorBody(problem, undefined);
  const { code, param } = openaiErrorBody(problem).error;
  return { ...anthropic, error: { ...anthropic.error, code, param } };
}
