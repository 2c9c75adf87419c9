import { getPath, HawserError, isHawserError, textOf } from "../base/index.js";
import { CallStream } from "../complete/index.js";
import type { Options } from "../options/index.js";
import type { StandardSchema } from "../schema/index.js";
import type { Message } from "../wire/index.js";
import { CallCost } from "./call-cost.js";
import type { CouncilOptions } from "./council-options.js";
import type { CouncilVote } from "./council-vote.js";
import type { Outcome } from "./outcome.js";
import { systemPromptOf } from "./prompts.js";
import type { Reviewer } from "./reviewer.js";
import { scoreOf, type Vote } from "./vote.js";

export interface ReviewRequest {
  readonly reviewer: Reviewer;
  readonly prompt: string;
  readonly schema: StandardSchema<Vote<unknown>>;
  readonly options: CouncilOptions;
  readonly signal: AbortSignal;
  /** The stack of the program that called `council()`, for errors. */
  readonly stack: string;
  onTool(tool: string): void;
}

/** Lets one reviewer vote. Rejects with `invalid_options` only; every other failure is an absence. */
export async function review(request: ReviewRequest): Promise<Outcome> {
  const { name } = request.reviewer;
  const startedAt = performance.now();
  const elapsed = () => Math.round(performance.now() - startedAt);
  const cost = new CallCost();
  try {
    const vote = await voteOf(request, cost);
    return { vote: { ...vote, ms: elapsed() } };
  } catch (thrown) {
    const error = isHawserError(thrown)
      ? thrown
      : new HawserError("control_error", textOf(thrown), { cause: thrown });
    // Wrong options are a mistake of the program, which no other reviewer would make good.
    if (error.code === "invalid_options") throw error;
    return { absence: { reviewer: name, error, costUsd: cost.usd, ms: elapsed() } };
  }
}

async function voteOf(
  request: ReviewRequest,
  cost: CallCost,
): Promise<Omit<CouncilVote<unknown>, "ms">> {
  const { reviewer, prompt, stack } = request;
  const call = new CallStream({
    caller: "council()",
    stack: () => stack,
    prompt,
    options: optionsOf(request),
    // JSON in the text of a reviewer may be a quotation of the subject.
    textCounts: false,
  });
  for await (const message of call) {
    cost.add(message);
    for (const tool of toolsIn(message)) request.onTool(tool);
  }
  const { value, model, costUsd, usage, stop } = await call.completion;
  if (value === undefined) {
    throw new HawserError("structured_output", `The reviewer stopped without a vote (${stop}).`);
  }
  // The schema has checked it.
  const vote = value as Vote<unknown>;
  const { weight = 1 } = reviewer;
  const score = scoreOf(vote.verdict);
  return { ...vote, reviewer: reviewer.name, weight, score, model, costUsd, usage };
}

function optionsOf({ reviewer, schema, options, signal }: ReviewRequest): Options {
  const { pool, retry, maxRepairs = 1, timeouts } = options;
  const own = { ...options.options, ...reviewer.options };
  const totalMs = timeouts?.reviewerMs ?? own.timeouts?.totalMs ?? REVIEWER_MS;
  return {
    ...own,
    timeouts: { ...own.timeouts, totalMs },
    systemPrompt: systemPromptOf(reviewer),
    schema,
    maxRepairs,
    signal: own.signal === undefined ? signal : AbortSignal.any([signal, own.signal]),
    ...(reviewer.model === undefined ? {} : { model: reviewer.model }),
    ...(reviewer.tools === undefined
      ? {}
      : { tools: [...reviewer.tools], allowedTools: reviewer.tools.filter(needsApproval) }),
    ...(pool === undefined ? {} : { pool }),
    ...(retry === undefined ? {} : { retry }),
  };
}

const REVIEWER_MS = 300_000;

/**
 * Reading in `cwd` needs no approval. A rule that allows it would also allow reading everywhere else, for example the
 * keys of the user, if text in the subject misleads the model.
 */
function needsApproval(tool: string): boolean {
  return !READING.has(tool);
}

const READING: ReadonlySet<string> = new Set(["Read", "Grep", "Glob"]);

function toolsIn(message: Message): string[] {
  if (message.type !== "assistant") return [];
  const content: unknown = getPath(message, "message", "content");
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  return blocks.flatMap((block) => {
    const name = getPath(block, "type") === "tool_use" ? getPath(block, "name") : undefined;
    return typeof name === "string" && name !== VALUE_TOOL ? [name] : [];
  });
}

/** The tool by which the model gives its vote. */
const VALUE_TOOL = "StructuredOutput";
