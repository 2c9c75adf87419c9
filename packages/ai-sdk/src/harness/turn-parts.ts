import type { HarnessV1CallWarning, HarnessV1StreamPart } from "@ai-sdk/harness";
import type { Usage } from "hawser";
import type { HostCallEvent, ToolCallEvent, ToolResultEvent, TurnEvent } from "../turn/index.js";
import { toUsage } from "../usage.js";
import { isKnown, shownName } from "./builtin-tools.js";
import type { PartFeed } from "./part-feed.js";
import { ASKS_USER } from "./permission-policy.js";
import { shownOutput, shownResult, type ToolSubmission } from "./tool-output.js";

type FinishReason = Extract<HarnessV1StreamPart, { type: "finish-step" }>["finishReason"];
type Metadata = NonNullable<Extract<HarnessV1StreamPart, { type: "finish" }>["harnessMetadata"]>;
type CallPart = Extract<HarnessV1StreamPart, { type: "tool-call" }>;
export type CompactionPart = Extract<HarnessV1StreamPart, { type: "compaction" }>;

export interface TurnPartsOptions {
  /** The host's name of a tool by the name that the model sees; undefined if it is not a tool of the host. */
  readonly hostName: (name: string) => string | undefined;
  /** Whether the answer is a value by a schema. The tool with which the model gives it is not shown. */
  readonly wantsValue: boolean;
  readonly warnings?: readonly HarnessV1CallWarning[] | undefined;
}

/** Translates the events of a turn to parts, and divides them into steps. A step is a message and its tool results. */
export class TurnParts {
  readonly #feed: PartFeed;
  readonly #options: TurnPartsOptions;
  readonly #calls = new Map<string, Call>();
  /** The inputs that are shown while the model writes them. */
  readonly #inputs = new Set<string>();
  #step: Step | undefined;
  #lastReason: FinishReason = { unified: "other", raw: undefined };
  #hasStarted = false;
  /** Compactions from before the start of the turn. */
  readonly #earlier: CompactionPart[] = [];
  /** The number of the prompt, because a message of the user during a turn can begin another turn of the CLI. */
  #prompt = 0;

  constructor(feed: PartFeed, options: TurnPartsOptions) {
    this.#feed = feed;
    this.#options = options;
  }

  /** Another prompt of the same turn begins. */
  nextPrompt(): void {
    this.#prompt += 1;
  }

  /** The turn begins. Only the first call counts. */
  start(modelId?: string): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    const { warnings } = this.#options;
    this.#feed.push({
      type: "stream-start",
      ...(warnings === undefined ? {} : { warnings }),
      ...(modelId === undefined ? {} : { modelId }),
    });
    for (const part of this.#earlier.splice(0)) this.compaction(part);
  }

  translate(event: TurnEvent): void {
    const { type } = event;
    const feed = this.#feed;
    if (type === "round_start") {
      // What came before the first message belongs to the first step.
      if (this.#step?.hasEnded === true || (this.#step?.calls.size ?? 0) > 0) this.closeStep();
      this.start(event.model);
      this.#openStep();
    } else if (type === "round_end") {
      const step = this.#openStep();
      step.usage = event.usage;
      step.stopReason = event.stopReason;
      step.hasEnded = true;
      this.#closeIfDone();
    } else if (type === "text_start") {
      this.#openStep();
      feed.push({ type: "text-start", id: this.#id(event.id) });
    } else if (type === "text_delta") {
      feed.push({ type: "text-delta", id: this.#id(event.id), delta: event.text });
    } else if (type === "text_end") feed.push({ type: "text-end", id: this.#id(event.id) });
    else if (type === "reasoning_start") {
      this.#openStep();
      feed.push({ type: "reasoning-start", id: this.#id(event.id) });
    } else if (type === "reasoning_delta") {
      feed.push({ type: "reasoning-delta", id: this.#id(event.id), delta: event.text });
    } else if (type === "reasoning_end") {
      const { signature } = event;
      const harnessMetadata =
        signature === undefined ? {} : { harnessMetadata: { hawser: { signature } } };
      feed.push({ type: "reasoning-end", id: this.#id(event.id), ...harnessMetadata });
    } else if (type === "tool_input_start") this.#inputStart(event.id, event.name);
    else if (type === "tool_input_delta") {
      if (!this.#inputs.has(event.id)) return;
      feed.push({ type: "tool-input-delta", id: event.id, delta: event.json });
    } else if (type === "tool_input_end") {
      if (this.#inputs.delete(event.id)) feed.push({ type: "tool-input-end", id: event.id });
    } else if (type === "tool_call") this.#call(event);
    else if (type === "tool_result") this.#result(event);
  }

  /** The calls of host tools in the same message that the CLI makes together with this call. */
  neighbours(id: string): readonly string[] {
    const calls = [...this.#openStep().calls].map((each) => this.#calls.get(each));
    const index = calls.findIndex((call) => call?.id === id);
    const isHost = (call: Call | undefined) => call?.kind === "host";
    const after = calls.slice(index + 1);
    const end = after.findIndex((call) => !isHost(call));
    return after.slice(0, end < 0 ? undefined : end).flatMap((call) => call?.id ?? []);
  }

  /** Calls of host tools that the host answers. The host learns how many they are, so that it can wait for all. */
  askHost(events: readonly HostCallEvent[]): void {
    const count = this.#shownInStep() + events.length;
    for (const { id, name, input } of events) {
      const call = this.#known({ id, name, kind: "host" });
      call.input = input;
      this.#ask(call, { stepToolCallCount: count });
    }
  }

  /** A question of the model to the user, which the host answers like a call. */
  askUser(id: string, input: unknown): void {
    const call = this.#known({ id, name: ASKS_USER, kind: "user" });
    call.input = input;
    this.#ask(call, {});
  }

  /** Asks the host whether a call may run. The id of the question is that of the call. */
  askApproval(id: string, name: string, input: unknown): void {
    const call = this.#known({ id, name, kind: "cli" });
    call.input ??= input;
    if (call.shownTo !== this.#feed.reader) this.#show(call);
    const request = { type: "tool-approval-request", approvalId: id, toolCallId: id } as const;
    this.#feed.ask(id, [callPart(call), request], request);
  }

  /** What the host has answered, for the result that the CLI then reports. */
  submitted(submission: ToolSubmission): void {
    const call = this.#calls.get(submission.toolCallId);
    if (call !== undefined) call.submission = submission;
  }

  /** The CLI has compacted the conversation. A turn that has not begun shows it at its beginning. */
  compaction(part: CompactionPart): void {
    if (!this.#hasStarted) {
      this.#earlier.push(part);
      return;
    }
    this.#openStep();
    this.#feed.push(part);
  }

  /** The answer by a schema, as the text of a step of its own. */
  value(value: unknown): void {
    this.closeStep();
    this.#step = newStep();
    const id = this.#id("value");
    this.#feed.push({ type: "text-start", id });
    this.#feed.push({ type: "text-delta", id, delta: JSON.stringify(value) });
    this.#feed.push({ type: "text-end", id });
  }

  closeStep(metadata?: Metadata): void {
    const step = this.#step;
    if (step === undefined) return;
    this.#step = undefined;
    this.#lastReason = reasonOf(step);
    this.#feed.push({
      type: "finish-step",
      finishReason: this.#lastReason,
      usage: toUsage(step.usage),
      ...(metadata === undefined ? {} : { harnessMetadata: metadata }),
    });
  }

  /** The last part of the turn. */
  finish(end: {
    readonly usage: Usage | undefined;
    readonly stop?: string | undefined;
    readonly metadata: Metadata;
  }): void {
    const { usage, stop, metadata } = end;
    this.start();
    // A `HarnessAgent` takes the metadata of `generate()` from the last step, and that of `stream()` from the turn.
    this.closeStep(metadata);
    this.#feed.push({
      type: "finish",
      finishReason: stop === undefined ? this.#lastReason : { unified: "other", raw: stop },
      totalUsage: toUsage(usage),
      harnessMetadata: metadata,
    });
  }

  #id(id: string): string {
    return this.#prompt === 0 ? id : `${this.#prompt}_${id}`;
  }

  #openStep(): Step {
    this.#step ??= newStep();
    return this.#step;
  }

  #kindOf(name: string): Call["kind"] {
    if (this.#options.hostName(name) !== undefined) return "host";
    if (name === ASKS_USER) return "user";
    return name === GIVES_VALUE && this.#options.wantsValue ? "value" : "cli";
  }

  #inputStart(id: string, name: string): void {
    const kind = this.#kindOf(name);
    if (kind === "value" || kind === "user") return;
    this.#openStep();
    this.#inputs.add(id);
    const toolName = this.#options.hostName(name) ?? shownName(name);
    this.#feed.push({ type: "tool-input-start", id, toolName, ...executionOf(kind, toolName) });
  }

  #call({ id, name, hostName, input, parentId }: ToolCallEvent): void {
    const call = this.#known({ id, name: hostName ?? name, kind: this.#kindOf(name) });
    call.input = input;
    call.parentId = parentId;
    const step = this.#openStep();
    step.calls.add(id);
    step.pending.add(id);
    if (call.kind === "cli") this.#show(call);
  }

  #result({ id, content, isError }: ToolResultEvent): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    const { submission } = call;
    if (call.kind !== "value") {
      // The CLI has refused a call before the host got it, or the call was shown in another part of the turn.
      if (call.shownTo === undefined) this.#show(Object.assign(call, { kind: "cli" }));
      const toolName = call.shown;
      const result =
        submission === undefined
          ? shownResult(toolName, content, isError)
          : shownOutput(submission);
      this.#feed.push({
        type: "tool-result",
        toolCallId: id,
        toolName,
        result,
        ...((submission?.isError ?? isError) ? { isError: true } : {}),
        ...("dynamic" in executionOf(call.kind, toolName) ? { dynamic: true } : {}),
      });
    }
    this.#calls.delete(id);
    this.#step?.pending.delete(id);
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    const step = this.#step;
    if (step === undefined || !step.hasEnded) return;
    if (step.calls.size > 0 && step.pending.size === 0) this.closeStep();
  }

  #known({ id, name, kind }: Pick<Call, "id" | "name" | "kind">): Call {
    const known = this.#calls.get(id);
    if (known !== undefined) return known;
    const shown = kind === "host" ? name : shownName(name);
    const call: Call = { id, name, kind, shown };
    this.#calls.set(id, call);
    return call;
  }

  #show(call: Call): void {
    this.#count(call);
    this.#feed.push(callPart(call));
  }

  #ask(call: Call, extra: Partial<CallPart>): void {
    this.#count(call);
    const part = { ...callPart(call), ...extra };
    this.#feed.ask(call.id, [part], part);
  }

  #count(call: Call): void {
    const step = this.#openStep();
    if (step.reader !== this.#feed.reader) {
      step.reader = this.#feed.reader;
      step.shown = 0;
    }
    step.shown += 1;
    call.shownTo = this.#feed.reader;
  }

  #shownInStep(): number {
    const { reader, shown } = this.#openStep();
    return reader === this.#feed.reader ? shown : 0;
  }
}

/** One tool call of the turn. */
interface Call {
  readonly id: string;
  /** The CLI's name of the tool, or the host's name of a host tool. */
  readonly name: string;
  /** What answers the call: the CLI, a tool of the host or the user. A call whose input is the answer has no other answer. */
  readonly kind: "cli" | "host" | "user" | "value";
  /** The name that the host sees. */
  readonly shown: string;
  input?: unknown;
  parentId?: string | undefined;
  submission?: ToolSubmission;
  /** The number of the reader that has seen the call. */
  shownTo?: number;
}

interface Step {
  readonly calls: Set<string>;
  /** The calls without a result. */
  readonly pending: Set<string>;
  /** Whether the message of the model has ended. */
  hasEnded: boolean;
  usage: Usage | undefined;
  stopReason: string | undefined;
  /** How many calls of the step this reader has seen. */
  shown: number;
  reader: number;
}

/** The tool of the CLI with which the model gives a value by a schema. */
const GIVES_VALUE = "StructuredOutput";

function newStep(): Step {
  return {
    calls: new Set(),
    pending: new Set(),
    hasEnded: false,
    usage: undefined,
    stopReason: undefined,
    shown: 0,
    reader: 0,
  };
}

function callPart({ id, name, kind, shown, input, parentId }: Call): CallPart {
  const metadata =
    parentId === undefined ? {} : { providerMetadata: { hawser: { parentToolCallId: parentId } } };
  return {
    type: "tool-call",
    toolCallId: id,
    toolName: shown,
    input: JSON.stringify(input ?? {}),
    ...executionOf(kind, shown),
    ...(shown === name ? {} : { nativeName: name }),
    ...metadata,
  };
}

/** A `HarnessAgent` refuses a call of a tool that it does not know, unless the call is dynamic. */
function executionOf(
  kind: Call["kind"],
  shown: string,
): { readonly providerExecuted: boolean; readonly dynamic?: true } {
  if (kind !== "cli") return { providerExecuted: false };
  return { providerExecuted: true, ...(isKnown(shown) ? {} : { dynamic: true }) };
}

function reasonOf({ stopReason, calls }: Step): FinishReason {
  const raw = stopReason;
  if (raw === "tool_use" || (raw === undefined && calls.size > 0))
    return { unified: "tool-calls", raw };
  if (raw === undefined || raw === "end_turn" || raw === "stop_sequence")
    return { unified: "stop", raw };
  if (raw === "max_tokens" || raw === "model_context_window_exceeded")
    return { unified: "length", raw };
  if (raw === "refusal") return { unified: "content-filter", raw };
  return { unified: "other", raw };
}
