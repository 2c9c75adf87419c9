import type {
  HarnessV1ContinueTurnState,
  HarnessV1PromptControl,
  HarnessV1StreamPart,
} from "@ai-sdk/harness";
import {
  type Approval,
  isResult,
  type Message,
  type ResultMessage,
  type Session,
  type Turn,
  type Usage,
} from "hawser";
import { toAiSdkError } from "../errors/index.js";
import { providerMetadata } from "../provider-metadata.js";
import {
  type AgentTurn,
  fromSession,
  type HostCallEvent,
  type QuestionEvent,
  type TurnEvent,
  type TurnHost,
} from "../turn/index.js";
import { shownName } from "./builtin-tools.js";
import type { InterruptedTurn } from "./interrupted-turn.js";
import type { PendingQuestion } from "./lifecycle-data.js";
import { PartFeed } from "./part-feed.js";
import type { PermissionPolicy } from "./permission-policy.js";
import { callToolResult, type ToolSubmission } from "./tool-output.js";
import { type CompactionPart, TurnParts, type TurnPartsOptions } from "./turn-parts.js";
import { questionsDecision, questionsInput } from "./user-questions.js";

/** A prompt that was sent. */
export interface BegunTurn {
  readonly session: Session;
  readonly host: TurnHost;
  readonly turn: Turn;
}

export interface HarnessTurnFacts extends TurnPartsOptions {
  readonly policy: PermissionPolicy;
  readonly modelId: string;
  /** Sends the prompt. Called when no call of an earlier process waits for an answer. */
  readonly begin: () => Promise<BegunTurn>;
  /** The turn of an earlier process that this turn goes on with. */
  readonly interrupted?: InterruptedTurn | undefined;
  /** Called when the turn begins to wait for a person, and when it no longer does. */
  readonly onWaiting?: ((isWaiting: boolean) => void) | undefined;
  /** Called with each message of the turn that is no part of the model's answer. */
  readonly onMessage?: ((message: Message) => void) | undefined;
}

/**
 * One turn of a `HarnessAgent`: a prompt, the messages that the user adds during the turn, and all that the CLI does
 * until its result. The host may leave it and come back.
 */
export class HarnessTurn {
  /** Settles when the turn is over for the CLI too. Never rejects. */
  readonly settled: Promise<void>;
  readonly #facts: HarnessTurnFacts;
  readonly #feed = new PartFeed();
  readonly #parts: TurnParts;
  /** Questions and calls that wait for the end of the model's message. */
  readonly #deferred: Waiting[] = [];
  /** The questions that were asked, by the id of their tool call. */
  readonly #questions = new Map<string, Approval>();
  /** The calls of host tools that wait for their result. */
  readonly #hostCalls = new Map<string, HostCallEvent>();
  readonly #added: Turn[] = [];
  #begun: BegunTurn | undefined;
  #agentTurn: AgentTurn<ResultMessage> | undefined;
  /** The event that was asked for, and did not come in time. */
  #awaitedEvent: Promise<TurnEvent | undefined> | undefined;
  #isInRound = false;
  #aborted: { readonly reason: unknown } | undefined;

  constructor(facts: HarnessTurnFacts) {
    this.#facts = facts;
    this.#parts = new TurnParts(this.#feed, facts);
    facts.interrupted?.ask(this.#feed);
    this.settled = this.#run();
  }

  /** Whether the turn is over, also if the host has not read all of it. */
  get isOver(): boolean {
    return this.#feed.isEnded;
  }

  /** Whether the turn is over and the host has read all of it. */
  get isRead(): boolean {
    return this.#feed.isRead;
  }

  /** What waits for the host, so that another process can ask again. */
  get waiting(): WaitingCalls {
    const approvals = [...this.#questions.values()].filter((each) => each.kind !== "elicitation");
    const results = approvals.filter((each) => each.kind === "question");
    return {
      questions: approvals.map(({ toolUseId: id, tool, input }) => ({ id, tool, input })),
      pendingToolApprovals: approvals
        .filter((each) => each.kind !== "question")
        .map(({ toolUseId, tool, input }) => ({
          approvalId: toolUseId,
          toolCallId: toolUseId,
          toolName: shownName(tool),
          input: JSON.stringify(input),
          kind: "builtin",
          providerExecuted: true,
        })),
      pendingToolResults: [
        ...results.map((each) => ({
          toolCallId: each.toolUseId,
          toolName: shownName(each.tool),
          input: JSON.stringify(questionsInput(each)),
        })),
        ...[...this.#hostCalls.values()].map(({ id, name, input }) => ({
          toolCallId: id,
          toolName: name,
          input: JSON.stringify(input),
        })),
      ],
    };
  }

  /** The host reads the turn from where it, or an earlier reader, has stopped. */
  attach(
    emit: (part: HarnessV1StreamPart) => void,
    abortSignal: AbortSignal | undefined,
  ): HarnessV1PromptControl {
    this.#aborted = undefined;
    const done = this.#feed.attach(emit);
    const onAbort = () => this.#abort(abortSignal?.reason);
    if (abortSignal?.aborted === true) onAbort();
    else abortSignal?.addEventListener("abort", onAbort, { once: true });
    const forget = () => abortSignal?.removeEventListener("abort", onAbort);
    done.then(forget, forget);
    return {
      done,
      submitToolResult: (submission) => this.#submitResult(submission),
      submitToolApproval: (answer) => this.#submitApproval(answer),
      submitUserMessage: (text) => this.#addMessage(text),
    };
  }

  /** The host stops reading. The turn goes on. */
  leave(): void {
    this.#feed.leave();
  }

  /** Ends the turn for the host with this error, and asks the CLI to stop. */
  fail(error: unknown): void {
    this.#feed.end({ error });
    this.#stop();
  }

  showCompaction(part: CompactionPart): void {
    this.#parts.compaction(part);
  }

  async #run(): Promise<void> {
    try {
      await this.#feed.allAnswered();
      if (this.#feed.isEnded) return;
      this.#facts.interrupted?.close(this.#feed);
      this.#begun = await this.#facts.begin();
      if (this.#feed.isEnded) this.#stop();
      await this.#followAll(this.#begun);
    } catch (error) {
      this.#feed.end({
        error: toAiSdkError(error, { modelId: this.#facts.modelId, isPaid: true }),
      });
      for (const turn of this.#added) void turn.interrupt().catch(() => {});
    }
  }

  async #followAll({ session, turn: first }: BegunTurn): Promise<void> {
    const results: ResultMessage[] = [];
    let costUsd: number | undefined = 0;
    for (
      let turn: Turn | undefined = first;
      turn !== undefined;
      turn = await this.#nextAdded(results)
    ) {
      await this.#follow(turn);
      // Rejects if the turn failed.
      await turn.text();
      results.push(await turn.result);
      costUsd =
        costUsd === undefined || turn.costUsd === undefined ? undefined : costUsd + turn.costUsd;
      this.#parts.nextPrompt();
    }
    const last = results.at(-1);
    if (this.#facts.wantsValue && last?.structured_output !== undefined) {
      this.#parts.value(last.structured_output);
    }
    const { id: sessionId } = session;
    const permissionDenials = last?.permission_denials;
    const { hawser = {} } = providerMetadata({
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(permissionDenials === undefined ? {} : { permissionDenials }),
      costUsd,
      turns: results.reduce((sum, { num_turns }) => sum + num_turns, 0),
    });
    const stop = STOPS.get(last?.subtype ?? "");
    const metadata = { hawser: withoutUndefined(hawser) };
    this.#parts.finish({ usage: sum(results.map(({ usage }) => usage)), stop, metadata });
    this.#feed.end();
  }

  /** The next message of the user that the CLI has not answered together with an earlier one. */
  async #nextAdded(results: readonly ResultMessage[]): Promise<Turn | undefined> {
    for (let turn = this.#added.shift(); turn !== undefined; turn = this.#added.shift()) {
      const { result } = turn;
      // A message that joined an earlier turn has its result already, and one that waits has none.
      const now = new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
      const known = await Promise.race([result.catch(() => undefined), now]);
      if (known === undefined || !results.includes(known)) return turn;
    }
    return undefined;
  }

  async #follow(turn: Turn): Promise<void> {
    const { host } = this.#begun ?? {};
    if (host === undefined) return;
    const agentTurn = host.follow(fromSession(turn));
    this.#agentTurn = agentTurn;
    this.#isInRound = false;
    for (;;) {
      // What comes after a question or a call is shown when the host has answered.
      await this.#feed.allAnswered();
      if (this.#deferred.length > 0 && !this.#isInRound) await this.#present(agentTurn);
      else {
        const event = await this.#next(agentTurn);
        if (event === undefined) return;
        this.#receive(event);
      }
    }
  }

  /** The next event. With a limit, `"late"` if it did not come in time; it is then the next one again. */
  async #next(turn: AgentTurn<ResultMessage>): Promise<TurnEvent | undefined>;
  async #next(
    turn: AgentTurn<ResultMessage>,
    limitMs: number,
  ): Promise<TurnEvent | "late" | undefined>;
  async #next(
    turn: AgentTurn<ResultMessage>,
    limitMs?: number,
  ): Promise<TurnEvent | "late" | undefined> {
    this.#awaitedEvent ??= turn.next();
    const late = limitMs === undefined ? undefined : timer(limitMs);
    try {
      const event = await (late === undefined
        ? this.#awaitedEvent
        : Promise.race([this.#awaitedEvent, late.promise]));
      if (event !== "late") this.#awaitedEvent = undefined;
      return event;
    } catch (error) {
      this.#awaitedEvent = undefined;
      throw error;
    } finally {
      late?.cancel();
    }
  }

  #receive(event: TurnEvent): void {
    if (event.type === "question") this.#question(event);
    else if (event.type === "host_call") this.#deferred.push(event);
    else if (event.type === "withdrawn") this.#withdraw(event.id);
    else if (event.type === "message") this.#message(event.message);
    else {
      if (event.type === "round_start") this.#isInRound = true;
      if (event.type === "round_end") this.#isInRound = false;
      this.#parts.translate(event);
    }
  }

  #message(message: Message): void {
    if (message.type === "system" && message.subtype === "init") {
      this.#parts.start(typeof message["model"] === "string" ? message["model"] : undefined);
    }
    if (!isResult(message)) this.#facts.onMessage?.(message);
  }

  #question(event: QuestionEvent): void {
    const { approval } = event;
    const { policy, interrupted } = this.#facts;
    if (approval.kind === "elicitation") this.#answer(approval, { behavior: "decline" });
    else if (approval.kind !== "question" && policy.allows(approval.tool)) {
      this.#answer(approval, { behavior: "allow" });
    } else if (interrupted?.isGranted(approval.tool, approval.input) === true) {
      this.#answer(approval, { behavior: "allow" });
    } else this.#deferred.push(event);
  }

  #withdraw(id: string): void {
    const index = this.#deferred.findIndex((each) => idOf(each) === id);
    if (index >= 0) this.#deferred.splice(index, 1);
    const asked = [...this.#questions].find(([, approval]) => approval.id === id);
    this.#settleCall(asked?.[0] ?? id);
  }

  /** Shows the first question, or the calls of host tools that came together. */
  async #present(turn: AgentTurn<ResultMessage>): Promise<void> {
    const [first] = this.#deferred;
    if (first?.type === "question") {
      this.#deferred.shift();
      this.#ask(first.approval);
      return;
    }
    const until = performance.now() + TOGETHER_MS;
    for (;;) {
      const here = this.#deferred.filter((each) => each.type === "host_call");
      const expected = here.flatMap(({ id }) => this.#parts.neighbours(id));
      const limitMs = until - performance.now();
      const isComplete = expected.every((id) => here.some((each) => each.id === id));
      if (isComplete || limitMs <= 0) break;
      const event = await this.#next(turn, limitMs);
      if (event === "late") continue;
      if (event === undefined) return;
      this.#receive(event);
    }
    const calls = this.#deferred.filter((each) => each.type === "host_call");
    const others = this.#deferred.filter((each) => each.type !== "host_call");
    this.#deferred.splice(0, this.#deferred.length, ...others);
    for (const call of calls) this.#hostCalls.set(call.id, call);
    this.#parts.askHost(calls);
  }

  #ask(approval: Approval): void {
    if (approval.kind === "elicitation") return;
    const { toolUseId, tool, input } = approval;
    this.#questions.set(toolUseId, approval);
    this.#facts.onWaiting?.(true);
    if (approval.kind === "question") this.#parts.askUser(toolUseId, questionsInput(approval));
    else this.#parts.askApproval(toolUseId, tool, input);
  }

  async #submitResult(submission: ToolSubmission): Promise<void> {
    const { toolCallId: id } = submission;
    const approval = this.#questions.get(id);
    this.#parts.submitted(submission);
    if (this.#begun === undefined) this.#facts.interrupted?.submit(submission);
    if (approval?.kind === "question") {
      await this.#begun?.host.answerApproval(
        approval.id,
        questionsDecision(approval, submission.output),
      );
    } else this.#begun?.host.answerToolCall(id, callToolResult(submission));
    this.#settleCall(id);
  }

  async #submitApproval(answer: {
    readonly approvalId: string;
    readonly approved: boolean;
    readonly reason?: string;
  }): Promise<void> {
    const { approvalId, approved, reason } = answer;
    const approval = this.#questions.get(approvalId);
    if (this.#begun === undefined) this.#facts.interrupted?.approve(approvalId, approved, reason);
    if (approval !== undefined) {
      const message = reason === undefined ? {} : { message: reason };
      await this.#begun?.host.answerApproval(
        approval.id,
        approved ? { behavior: "allow" } : { behavior: "deny", ...message },
      );
    }
    this.#settleCall(approvalId);
  }

  async #addMessage(text: string): Promise<void> {
    if (this.#begun === undefined || this.isOver) {
      throw new Error("The turn does not run, so it takes no message.");
    }
    this.#added.push(this.#begun.session.send(text));
  }

  #answer(approval: Approval, decision: { behavior: "allow" } | { behavior: "decline" }): void {
    // Fails only if the CLI no longer asks.
    void this.#begun?.host.answerApproval(approval.id, decision).catch(() => {});
  }

  #settleCall(id: string): void {
    if (this.#questions.delete(id) && this.#questions.size === 0) this.#facts.onWaiting?.(false);
    this.#hostCalls.delete(id);
    this.#feed.answered(id);
    if (this.#aborted !== undefined) this.fail(this.#aborted.reason);
  }

  /**
   * While a call waits for the host, the host may have left, and its signal with it. A host that runs a tool stops the
   * tool by the same signal, and then answers the call.
   */
  #abort(reason: unknown): void {
    if (this.#feed.isWaiting) this.#aborted = { reason };
    else this.fail(reason);
  }

  #stop(): void {
    this.#agentTurn?.interrupt();
    for (const turn of [this.#begun?.turn, ...this.#added]) void turn?.interrupt().catch(() => {});
  }
}

type Waiting = QuestionEvent | HostCallEvent;

/** The calls of a turn that wait for the host, as the state of a suspended turn has them. */
export interface WaitingCalls
  extends Required<
    Pick<HarnessV1ContinueTurnState, "pendingToolApprovals" | "pendingToolResults">
  > {
  readonly questions: readonly PendingQuestion[];
}

/** How long a call of a host tool waits for other calls of the same message. */
const TOGETHER_MS = 250;

/** Why a turn ended that did not fail, if it did not end by itself. */
const STOPS = new Map([
  ["error_max_turns", "max_turns"],
  ["error_max_budget_usd", "max_budget"],
]);

function idOf(waiting: Waiting): string {
  return waiting.type === "question" ? waiting.approval.id : waiting.id;
}

function sum(usages: readonly Usage[]): Usage | undefined {
  const [first, ...others] = usages;
  if (first === undefined || others.length === 0) return first;
  const totals = new Map(
    COUNTS.map((name) => [name, usages.reduce((total, usage) => total + (usage[name] ?? 0), 0)]),
  );
  return { ...first, ...Object.fromEntries(totals) };
}

const COUNTS = [
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
] as const;

function withoutUndefined<T>(fields: Readonly<Record<string, T | undefined>>): Record<string, T> {
  return JSON.parse(JSON.stringify(fields)) as Record<string, T>;
}

function timer(ms: number): { readonly promise: Promise<"late">; cancel(): void } {
  let timeout: ReturnType<typeof setTimeout> | undefined;
  const promise = new Promise<"late">((resolve) => {
    timeout = setTimeout(() => resolve("late"), ms);
  });
  return { promise, cancel: () => clearTimeout(timeout) };
}
