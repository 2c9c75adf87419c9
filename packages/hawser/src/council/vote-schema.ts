import type { Issue } from "../base/index.js";
import {
  type JsonSchema,
  loadOutputSchemas,
  type OutputSchema,
  rebaseReferences,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from "../schema/index.js";
import type { Vote } from "./vote.js";

/** The schema of a vote. With `details`, a vote also has a value of that schema. */
export async function voteSchema(
  details: StandardSchema | JsonSchema | undefined,
): Promise<StandardSchema<Vote<unknown>>> {
  const { compileOutputSchema } = await loadOutputSchemas();
  if (details === undefined) return asStandard(VOTE, await compileOutputSchema(VOTE));
  const own = await compileOutputSchema(details);
  // The value of `details` is checked by its own schema, which may know more than JSON Schema can say.
  const frame = await compileOutputSchema(withDetails({}));
  return asStandard(withDetails(rebaseReferences(own.sent, "#/properties/details")), frame, own);
}

function withDetails(details: unknown): JsonSchema {
  return {
    ...VOTE,
    properties: { ...VOTE.properties, details },
    required: [...VOTE.required, "details"],
  };
}

function asStandard(
  sent: JsonSchema,
  frame: OutputSchema,
  details?: OutputSchema,
): StandardSchema<Vote<unknown>> {
  return {
    "~standard": {
      version: 1,
      vendor: "hawser",
      jsonSchema: { input: () => sent },
      validate: (value) => validate(value, frame, details),
    },
  };
}

async function validate(
  value: unknown,
  frame: OutputSchema,
  details: OutputSchema | undefined,
): Promise<StandardResult<Vote<unknown>>> {
  const parsed = await frame.parse(value);
  if (parsed.issues !== undefined) return { issues: parsed.issues.map((issue) => below(issue)) };
  const vote = { ...(parsed.value as Vote<unknown>) };
  if (details === undefined) return { value: { ...vote, details: undefined } };
  const own = await details.parse(vote.details);
  if (own.issues === undefined) return { value: { ...vote, details: own.value } };
  return { issues: own.issues.map((issue) => below(issue, "details")) };
}

function below({ path, message }: Issue, ...keys: readonly string[]): StandardIssue {
  return { message, path: path === undefined ? keys : [...keys, path] };
}

const text = (maxLength: number, description: string) => ({
  type: "string",
  maxLength,
  description,
});

const VOTE = {
  type: "object",
  additionalProperties: false,
  required: [
    "verdict",
    "confidence",
    "summary",
    "reasons",
    "conditions",
    "findings",
    "recommendation",
  ],
  properties: {
    verdict: {
      enum: ["approve", "approve_with_conditions", "reject", "abstain"],
      description: "Your judgement. `abstain` only if you cannot judge the subject.",
    },
    confidence: {
      type: "number",
      minimum: 0,
      maximum: 1,
      description: "How sure you are of the verdict.",
    },
    summary: text(50_000, "Your judgement in one or two sentences."),
    reasons: text(50_000, "How you came to it."),
    conditions: {
      type: "array",
      maxItems: 100,
      items: text(10_000, "What must be done before the subject may pass."),
    },
    findings: {
      type: "array",
      maxItems: 100,
      items: {
        type: "object",
        additionalProperties: false,
        required: ["severity", "title", "detail"],
        properties: {
          severity: { enum: ["critical", "warning", "info"] },
          title: text(500, "The finding in a few words."),
          detail: text(10_000, "What is wrong, and why it matters."),
          file: text(4_096, "The path of the file, as the subject names it."),
          line: { type: "integer", minimum: 1 },
          category: text(
            100,
            "If one of these fits, use it, so that findings of several reviewers can be joined: correctness, security, performance, concurrency, error-handling, resource-leak, compatibility, tests, documentation, style. Else other.",
          ),
          suggestion: text(10_000, "What to do about it."),
        },
      },
    },
    recommendation: text(50_000, "What to do next."),
  },
} as const;
