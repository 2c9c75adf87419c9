import type { HarnessV1ContinueTurnState } from "@ai-sdk/harness";
import type { PendingQuestion } from "./lifecycle-data.js";
import type { PartFeed } from "./part-feed.js";
import type { ToolSubmission } from "./tool-output.js";
import { callToolResult } from "./tool-output.js";

/**
 * A turn whose process is gone. The calls that waited for the host did not run. They are shown to the host again, and
 * when all are answered, the model is told the answers and goes on: a result as it is, an approval as the permission to
 * make the same call once more.
 */
export class InterruptedTurn {
  readonly #state: PendingCalls;
  readonly #questions: ReadonlyMap<string, PendingQuestion>;
  readonly #approvals = new Map<
    string,
    { readonly approved: boolean; readonly reason?: string | undefined }
  >();
  readonly #results = new Map<string, ToolSubmission>();
  /** The calls that the user has allowed and that were not made again yet. */
  readonly #grants: PendingQuestion[] = [];

  constructor(state: PendingCalls, questions: readonly PendingQuestion[]) {
    this.#state = state;
    this.#questions = new Map(questions.map((question) => [question.id, question]));
  }

  /** Shows all calls that wait. The host ignores those that it is about to answer. */
  ask(feed: PartFeed): void {
    for (const { approvalId, toolCallId, toolName, input, kind } of this.#pendingApprovals) {
      const isBuiltin = kind === "builtin";
      const call = {
        type: "tool-call",
        toolCallId,
        toolName,
        input,
        providerExecuted: isBuiltin,
      } as const;
      if (isBuiltin) {
        const request = { type: "tool-approval-request", approvalId, toolCallId } as const;
        feed.push(call);
        feed.ask(toolCallId, [call, request], request);
      } else feed.ask(toolCallId, [call], call);
    }
    for (const { toolCallId, toolName, input } of this.#pendingResults) {
      const call = {
        type: "tool-call",
        toolCallId,
        toolName,
        input,
        providerExecuted: false,
      } as const;
      feed.ask(toolCallId, [call], call);
    }
  }

  approve(id: string, approved: boolean, reason: string | undefined): void {
    this.#approvals.set(id, { approved, reason });
    const question = this.#questions.get(id);
    if (approved && question !== undefined) this.#grants.push(question);
  }

  submit(submission: ToolSubmission): void {
    this.#results.set(submission.toolCallId, submission);
  }

  /** Ends the step in which the calls were made. The host waits for its end, unless it has run the tools itself. */
  close(feed: PartFeed): void {
    const builtin = this.#pendingApprovals.filter(({ kind }) => kind === "builtin");
    for (const { toolCallId, toolName } of builtin) {
      const { approved = false } = this.#approvals.get(toolCallId) ?? {};
      const result = approved ? REPEATED : DENIED;
      feed.push({ type: "tool-result", toolCallId, toolName, result, isError: true });
    }
    const isPaused =
      this.#pendingApprovals.length > 0 ||
      this.#pendingResults.some(({ completedResult }) => completedResult === undefined);
    if (!isPaused) return;
    const usage = {
      inputTokens: {
        total: undefined,
        noCache: undefined,
        cacheRead: undefined,
        cacheWrite: undefined,
      },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    };
    feed.push({
      type: "finish-step",
      finishReason: { unified: "tool-calls", raw: undefined },
      usage,
    });
  }

  /** What the model is told. */
  get prompt(): string {
    const approvals = this.#pendingApprovals.map((pending) => this.#approvalLine(pending));
    const results = this.#pendingResults.map((pending) => this.#resultLine(pending));
    return [
      "The program was restarted in the middle of your work, and calls that were under way did not run.",
      ...approvals,
      ...results,
      "Go on with the task where you were.",
    ].join("\n\n");
  }

  /** Whether the user has allowed this call. Each permission counts once. */
  isGranted(tool: string, input: unknown): boolean {
    const index = this.#grants.findIndex((grant) => {
      return grant.tool === tool && effectOf(grant.input) === effectOf(input);
    });
    if (index >= 0) this.#grants.splice(index, 1);
    return index >= 0;
  }

  get #pendingApprovals() {
    return this.#state.pendingToolApprovals ?? [];
  }

  get #pendingResults() {
    return this.#state.pendingToolResults ?? [];
  }

  #approvalLine(pending: PendingApproval): string {
    const { toolCallId, toolName, input, kind, nativeName } = pending;
    if (kind === "custom") return this.#resultLine({ toolCallId, toolName, input });
    const { approved = false, reason } = this.#approvals.get(toolCallId) ?? {};
    const question = this.#questions.get(toolCallId);
    const name = question?.tool ?? nativeName ?? toolName;
    const call = `The call of the tool ${name} with the input ${JSON.stringify(question?.input) ?? input} did not run.`;
    if (approved) return `${call} The user has now allowed it: make exactly this call again.`;
    return `${call} The user has denied it${reason === undefined ? "" : `: ${reason}`}. Do not make it again.`;
  }

  #resultLine({ toolCallId, toolName, input }: Omit<PendingResult, "completedResult">): string {
    const submission = this.#results.get(toolCallId);
    const { content, isError } = callToolResult(submission ?? { toolCallId, output: null });
    const text = content
      .map((part) => (part.type === "text" ? part.text : `[${part.type}]`))
      .join("\n");
    const what = isError === true ? "has failed" : "has now the result";
    return `The call of the tool ${toolName} with the input ${input} ${what}:\n${text}`;
  }
}

/** The calls that waited for the host. */
export type PendingCalls = Pick<
  HarnessV1ContinueTurnState,
  "pendingToolApprovals" | "pendingToolResults"
>;

type PendingApproval = NonNullable<HarnessV1ContinueTurnState["pendingToolApprovals"]>[number];
type PendingResult = NonNullable<HarnessV1ContinueTurnState["pendingToolResults"]>[number];

const REPEATED =
  "The program was restarted before the call ran. The model was asked to make the call again.";
const DENIED = "The user denied this call.";

/** The input without the fields that have no effect, so that the model may describe its call in other words. */
function effectOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return JSON.stringify(input);
  const { description: _, timeout: _timeout, ...rest } = input as Readonly<Record<string, unknown>>;
  const sorted = Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(sorted);
}
