import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { Approval } from "hawser";
import {
  type ToolCallEvent,
  type ToolResultEvent,
  type TurnEvent,
  toolCallOf,
  type Waiting,
} from "../turn/index.js";
import { approvalIdOf } from "./approval-id.js";
import { cutResult } from "./cut-result.js";
import type { Wait } from "./parked-turns.js";

export interface PartWriterOptions {
  readonly maxResultChars: number;
  /** Whether the answer is a value by schema. The caller then writes the text, and the model's own text is not shown. */
  readonly hidesText: boolean;
}

/**
 * Writes the events of a turn as parts of the AI SDK, step by step.
 *
 * Three rules of the AI SDK decide the order:
 *
 * - An approval request must follow its tool call in the same step.
 * - A page may only answer when every other call of the step has its result. Therefore a call is shown when its turn
 *   comes: the first call of a message at once, the next one when the call before it has its result, or after a while
 *   in which no question came.
 * - The AI SDK continues by itself when all tools of the caller have results, also if an approval is pending. Therefore a
 *   step ends either with questions or with calls of the caller's tools, and questions come first.
 */
export class PartWriter {
  readonly #options: PartWriterOptions;
  readonly #calls = new Map<string, Call>();
  /** Questions and calls of the caller's tools that wait, by the id of the tool call. */
  readonly #waiting = new Map<string, Waiting>();
  #step = 0;
  #repeatsCalls = false;
  #isInRound = false;

  constructor(options: PartWriterOptions) {
    this.#options = options;
  }

  /** Begins a step. `repeatsCalls` writes the call again before a result of a call that an earlier step showed. */
  begin(repeatsCalls: boolean): void {
    this.#step += 1;
    this.#repeatsCalls = repeatsCalls;
  }

  /** What the turn waits for now. */
  get waits(): readonly Wait[] {
    return [...this.#shownWaits()].map(([toolCallId, waiting]) => ({
      id: waitIdOf(waiting),
      toolCallId,
    }));
  }

  /**
   * Whether the step ends now: something waits for the caller, and nothing else goes on. `idleMs` is the time since the
   * last event.
   */
  isBlocked(idleMs: number): boolean {
    if (this.#waiting.size === 0 || this.#isInRound) return false;
    if (idleMs >= BLOCKED_AFTER_MS) return true;
    const open = [...this.#calls.values()].filter(({ isResolved }) => !isResolved);
    return open.every(({ event }) => event !== undefined && this.#isStuck(event.id));
  }

  /** How long to wait for an event before `isBlocked()` or `reveal()` has something to say; undefined for ever. */
  get patienceMs(): number | undefined {
    if (this.#waiting.size > 0) return this.#isInRound ? undefined : BLOCKED_AFTER_MS;
    const isHeld = [...this.#calls.values()].some((call) => this.#isHeld(call));
    return isHeld ? REVEAL_AFTER_MS : undefined;
  }

  /** Shows the calls that have been running for a while. */
  *reveal(idleMs: number): Iterable<LanguageModelV4StreamPart> {
    if (this.#waiting.size > 0 || idleMs < REVEAL_AFTER_MS) return;
    for (const call of this.#calls.values()) if (this.#isHeld(call)) yield* this.#announce(call);
  }

  /** The parts of one event. */
  *write(event: TurnEvent): Iterable<LanguageModelV4StreamPart> {
    switch (event.type) {
      case "round_start":
        this.#isInRound = true;
        return;
      case "round_end":
        this.#isInRound = false;
        return;
      case "text_start":
        if (!this.#options.hidesText) yield { type: "text-start", id: event.id };
        return;
      case "text_delta":
        if (!this.#options.hidesText && event.text !== "") {
          yield { type: "text-delta", id: event.id, delta: event.text };
        }
        return;
      case "text_end":
        if (!this.#options.hidesText) yield { type: "text-end", id: event.id };
        return;
      case "reasoning_start": {
        const { id, redacted } = event;
        const metadata = redacted === undefined ? {} : metadataOf({ redactedData: redacted });
        yield { type: "reasoning-start", id, ...metadata };
        return;
      }
      case "reasoning_delta":
        if (event.text !== "") {
          yield { type: "reasoning-delta", id: event.id, delta: event.text };
        }
        return;
      case "reasoning_end": {
        const { id, signature } = event;
        const metadata = signature === undefined ? {} : metadataOf({ signature });
        yield { type: "reasoning-end", id, ...metadata };
        return;
      }
      case "tool_input_start":
      case "tool_input_delta":
      case "tool_input_end":
        yield* this.#input(event);
        return;
      case "tool_call":
        this.#callOf(event.id).event = event;
        this.#callOf(event.id).isHostTool = event.hostName !== undefined;
        if (this.#isFirst(event.id)) yield* this.#showInput(this.#callOf(event.id));
        return;
      case "tool_result":
        yield* this.#result(event);
        return;
      case "question":
      case "host_call": {
        const id = toolCallOf(event);
        if (id === undefined) return;
        this.#waiting.set(id, event);
        if (event.type === "question") yield* this.#ask(event.approval);
        return;
      }
      case "withdrawn":
        for (const [id, waiting] of this.#waiting) {
          if (sourceIdOf(waiting) === event.id) this.#waiting.delete(id);
        }
        return;
      case "message":
        return;
    }
  }

  /** The caller has answered. A call that was denied is shown as denied by the AI SDK, so its result is not shown. */
  answered(toolCallId: string, isDenied: boolean): void {
    this.#waiting.delete(toolCallId);
    if (isDenied) this.#callOf(toolCallId).isDenied = true;
  }

  /** The end of a step that waits: the questions, or else the calls of the caller's tools. */
  *park(): Iterable<LanguageModelV4StreamPart> {
    for (const [id, waiting] of this.#shownWaits()) {
      if (waiting.type === "question") yield* this.#ask(waiting.approval);
      else yield* this.#callHost(this.#callOf(id), waiting.name, waiting.input);
    }
    yield* this.end();
  }

  /** The end of a step: a call whose input was shown must be complete. */
  *end(): Iterable<LanguageModelV4StreamPart> {
    for (const call of this.#calls.values()) {
      if (call.inputStep === this.#step && call.callStep !== this.#step)
        yield* this.#announce(call);
    }
  }

  /** Questions come first. */
  *#shownWaits(): Iterable<readonly [string, Waiting]> {
    const all = [...this.#waiting];
    const questions = all.filter(([, { type }]) => type === "question");
    yield* questions.length > 0 ? questions : all;
  }

  *#input(
    event: Extract<TurnEvent, { type: `tool_input_${string}` }>,
  ): Iterable<LanguageModelV4StreamPart> {
    const call = this.#callOf(event.id);
    if (event.type === "tool_input_start") {
      call.name = event.name;
      call.isHostTool = event.hostName !== undefined;
    } else if (event.type === "tool_input_delta") call.pending += event.json;
    else call.isInputEnded = true;
    if (call.inputStep === this.#step || this.#isFirst(event.id)) yield* this.#showInput(call);
  }

  /** Whether no other call of the main model is open before this one, so that the CLI runs this one first. */
  #isFirst(id: string): boolean {
    for (const [other, call] of this.#calls) {
      if (other === id) return true;
      if (!call.isResolved && call.event?.parentId === undefined) return false;
    }
    return true;
  }

  /** Shows as much of the input as there is. Calls of the caller's tools are shown when the CLI makes them. */
  *#showInput(call: Call): Iterable<LanguageModelV4StreamPart> {
    const { id } = call;
    if (isHidden(call) || call.event?.parentId !== undefined) return;
    if (call.name === undefined || call.isHostTool) return;
    if (call.inputStep === undefined) {
      call.inputStep = this.#step;
      yield { type: "tool-input-start", id, toolName: call.name, ...OF_CLI };
    }
    if (call.inputStep !== this.#step || call.isInputShown) return;
    // A call without input has no deltas, or empty ones.
    if (call.isInputEnded && !call.hasInput && call.pending === "") call.pending = "{}";
    if (call.pending !== "") {
      call.hasInput = true;
      yield { type: "tool-input-delta", id, delta: call.pending };
    }
    call.pending = "";
    if (!call.isInputEnded) return;
    call.isInputShown = true;
    yield { type: "tool-input-end", id };
  }

  /** A call of the CLI that waits to be shown. */
  #isHeld(call: Call): boolean {
    const isShown = call.callStep !== undefined || call.isResolved || call.isDenied;
    return !isShown && call.event !== undefined && !isHidden(call) && !call.isHostTool;
  }

  /** Writes the tool call, once in a step. */
  *#announce(call: Call, approval?: Approval): Iterable<LanguageModelV4StreamPart> {
    const { event } = call;
    if (event === undefined || isHidden(call) || call.callStep === this.#step) return;
    yield* this.#wholeInput(call, event);
    call.callStep = this.#step;
    yield {
      type: "tool-call",
      toolCallId: event.id,
      toolName: event.name,
      input: JSON.stringify(event.input ?? {}),
      ...OF_CLI,
      ...callMetadata(event, approval),
    };
  }

  /** Ends the input that was begun, or writes all of it. */
  *#wholeInput(call: Call, event: ToolCallEvent): Iterable<LanguageModelV4StreamPart> {
    const { id } = event;
    if (call.inputStep !== undefined && call.inputStep !== this.#step) return;
    if (call.isInputShown) return;
    if (call.inputStep === undefined) {
      yield { type: "tool-input-start", id, toolName: event.name, ...OF_CLI };
      call.pending = JSON.stringify(event.input ?? {});
    }
    call.inputStep = this.#step;
    call.isInputShown = true;
    if (call.pending !== "") yield { type: "tool-input-delta", id, delta: call.pending };
    call.pending = "";
    yield { type: "tool-input-end", id };
  }

  *#ask(approval: Approval): Iterable<LanguageModelV4StreamPart> {
    if (approval.kind === "elicitation") return;
    const { id, toolUseId: toolCallId } = approval;
    const call = this.#callOf(toolCallId);
    if (call.askedStep === this.#step) return;
    call.askedStep = this.#step;
    yield* this.#announce(call, approval);
    yield {
      type: "tool-approval-request",
      approvalId: approvalIdOf(id, toolCallId),
      toolCallId,
      ...metadataOf(approvalFacts(approval)),
    };
  }

  *#callHost(call: Call, toolName: string, input: unknown): Iterable<LanguageModelV4StreamPart> {
    if (call.callStep === this.#step) return;
    call.callStep = this.#step;
    const { id, event } = call;
    const json = JSON.stringify(input ?? {});
    yield { type: "tool-input-start", id, toolName };
    yield { type: "tool-input-delta", id, delta: json };
    yield { type: "tool-input-end", id };
    const metadata = event === undefined ? {} : callMetadata(event);
    yield { type: "tool-call", toolCallId: id, toolName, input: json, ...metadata };
  }

  *#result(event: ToolResultEvent): Iterable<LanguageModelV4StreamPart> {
    const call = this.#callOf(event.id);
    call.isResolved = true;
    this.#waiting.delete(event.id);
    // The AI SDK has the results of the caller's tools, and shows a denied call as denied.
    if (event.hostName !== undefined || isHidden(call)) return;
    if (!call.isDenied) {
      if (call.callStep === undefined || this.#repeatsCalls) yield* this.#announce(call);
      const { result, omittedChars } = cutResult(event.content, this.#options.maxResultChars);
      const { parentId, notRun } = event;
      const facts = {
        ...(parentId === undefined ? {} : { parentToolCallId: parentId }),
        ...(omittedChars === 0 ? {} : { omittedChars }),
        ...(notRun === undefined ? {} : { notRun }),
      };
      yield {
        type: "tool-result",
        toolCallId: event.id,
        toolName: event.name,
        result,
        dynamic: true,
        ...(event.isError ? { isError: true } : {}),
        ...(Object.keys(facts).length === 0 ? {} : metadataOf(facts)),
      };
    }
    // The call that the CLI runs next may be shown now.
    const next = [...this.#calls.values()].find(
      (each) => !each.isResolved && each.event?.parentId === undefined,
    );
    if (next !== undefined) yield* this.#showInput(next);
  }

  /** Whether a call waits for the caller, itself or through the calls of its sub-agent. */
  #isStuck(id: string): boolean {
    if (this.#waiting.has(id)) return true;
    const children = [...this.#calls.values()].filter(
      ({ event, isResolved }) => event?.parentId === id && !isResolved,
    );
    return children.length > 0 && children.every((child) => this.#isStuck(child.id));
  }

  #callOf(id: string): Call {
    const known = this.#calls.get(id);
    if (known !== undefined) return known;
    const call: Call = {
      id,
      name: undefined,
      isHostTool: false,
      event: undefined,
      pending: "",
      hasInput: false,
      isInputEnded: false,
      isInputShown: false,
      inputStep: undefined,
      callStep: undefined,
      askedStep: undefined,
      isResolved: false,
      isDenied: false,
    };
    this.#calls.set(id, call);
    return call;
  }
}

/** How long a step goes on if something else may still happen beside what waits. */
const BLOCKED_AFTER_MS = 250;

/**
 * How long a call is held back, because the CLI may ask about it, or about a call before it. The input of the first call
 * is seen before. Observed on a busy machine: a question came more than 150 ms after its call.
 */
const REVEAL_AFTER_MS = 1000;

/** A tool of the CLI is not in the caller's list of tools. Without both marks the AI SDK takes its call for an error. */
const OF_CLI = { providerExecuted: true, dynamic: true } as const;

interface Call {
  readonly id: string;
  name: string | undefined;
  isHostTool: boolean;
  event: ToolCallEvent | undefined;
  /** The part of the input that was not shown. */
  pending: string;
  /** Whether a part of the input was shown. */
  hasInput: boolean;
  isInputEnded: boolean;
  isInputShown: boolean;
  /** The steps in which the parts were written. */
  inputStep: number | undefined;
  callStep: number | undefined;
  askedStep: number | undefined;
  isResolved: boolean;
  isDenied: boolean;
}

/** By this tool the model gives a value by schema. */
function isHidden({ name, event }: Call): boolean {
  return (event?.name ?? name) === "StructuredOutput";
}

function waitIdOf(waiting: Waiting): string {
  if (waiting.type === "host_call") return waiting.id;
  const { approval } = waiting;
  return approval.kind === "elicitation"
    ? approval.id
    : approvalIdOf(approval.id, approval.toolUseId);
}

function sourceIdOf(waiting: Waiting): string {
  return waiting.type === "question" ? waiting.approval.id : waiting.id;
}

function callMetadata(
  { parentId }: ToolCallEvent,
  approval?: Approval,
): { readonly providerMetadata?: SharedV4ProviderMetadata } {
  const facts = {
    ...(parentId === undefined ? {} : { parentToolCallId: parentId }),
    ...(approval === undefined ? {} : { approval: approvalFacts(approval) }),
  };
  return Object.keys(facts).length === 0 ? {} : metadataOf(facts);
}

/** What a page needs to show a question. The input is part of the tool call. */
function approvalFacts(approval: Approval): object {
  const { kind, summary, askedAt } = approval;
  if (approval.kind === "elicitation") return { kind, summary, askedAt };
  const { reason } = approval;
  const blockedPath = approval.kind === "tool" ? approval.blockedPath : undefined;
  return { kind, summary, askedAt, reason, blockedPath };
}

/** `JSON.stringify()` leaves out what is undefined. */
function metadataOf(facts: object): { readonly providerMetadata: SharedV4ProviderMetadata } {
  return { providerMetadata: { hawser: JSON.parse(JSON.stringify(facts)) } };
}
