import { type Attributes, type Context, SpanKind } from "@opentelemetry/api";
import { ERROR_CODES, type ErrorCode, type RequestedFacts } from "hawser";
import { type Conventions, SPANS } from "../conventions.js";
import type { KnownTokens } from "../metrics/instruments.js";
import type { Instrumentation } from "./instrumentation.js";
import type { OpenSpan } from "./open-spans.js";
import { tokenAttributes } from "./token-attributes.js";

/** How a run of an agent begins. */
export interface RunStart {
  readonly at: number;
  readonly parent: Context;
  readonly above?: OpenSpan | undefined;
  /** The public function or kind of session, or `subagent`. */
  readonly caller: string;
  readonly tenant?: string | undefined;
  readonly prompt?: unknown;
  readonly requested?: Partial<RequestedFacts> | undefined;
}

/** How a run of an agent ended. */
export interface RunEnd {
  readonly at: number;
  /** `ok`, or the code of the failure. */
  readonly outcome: string;
  readonly conversation?: string | undefined;
  readonly model?: string | undefined;
  readonly tokens?: KnownTokens | undefined;
  readonly costUsd?: number | undefined;
  readonly rounds?: number | undefined;
  readonly stop?: string | undefined;
  readonly bootMs?: number | undefined;
  /** The blocks or the text of the answer. */
  readonly answer?: unknown;
  /** Set if the run ended neither by success nor by failure. */
  readonly ending?: "interrupted" | undefined;
}

/** One span `invoke_agent`: a call, a turn or a sub-agent. */
export class AgentRun {
  readonly open: OpenSpan;
  /** The model of the newest reply. */
  model: string | undefined;
  retries = 0;
  queuedMs: number | undefined;
  poolHow: string | undefined;
  readonly #shared: Instrumentation;
  readonly #facts: Attributes;
  readonly #start: RunStart;

  constructor(shared: Instrumentation, start: RunStart) {
    this.#shared = shared;
    this.#start = start;
    const { keys } = shared.conventions;
    const { at, parent, above, caller, tenant, requested = {} } = start;
    const agent = nameIn(requested.agent);
    this.#facts = {
      [keys.operation]: SPANS.agent.operation,
      [keys.provider]: shared.provider,
      ...given(keys.agentName, agent),
      ...given(keys.requestModel, nameIn(requested.model)),
      [keys.caller]: caller,
    };
    const { operation } = SPANS.agent;
    this.open = shared.spans.start({
      name: agent === undefined ? operation : `${operation} ${agent}`,
      kind: SpanKind.INTERNAL,
      at,
      parent,
      above,
      attributes: {
        ...this.#facts,
        ...given(keys.tenant, tenant),
        ...given(keys.outputType, requested.output),
      },
    });
    if (this.open.span.isRecording()) this.#setInput(keys);
  }

  end(how: RunEnd): void {
    const { instruments, conventions, content } = this.#shared;
    const { keys } = conventions;
    const { caller, tenant } = this.#start;
    const error = errorTypeOf(how.outcome);
    const failure = given(keys.errorType, error);
    const model = how.model ?? this.model;
    if (this.open.span.isRecording()) {
      this.open.set({
        ...given(keys.conversation, how.conversation),
        ...given(keys.responseModel, model),
        ...tokenAttributes(keys, how.tokens),
        ...given(keys.cost, how.costUsd),
        ...given(keys.rounds, how.rounds),
        ...given(keys.stop, how.stop),
        ...given(keys.outcome, how.ending),
        ...given(keys.bootMs, how.bootMs),
        ...given(keys.poolHow, this.poolHow),
        ...given(keys.queuedMs, this.queuedMs),
        ...(this.retries === 0 ? {} : { [keys.retries]: this.retries }),
        ...given(keys.outputMessages, content.answer(how.answer, how.stop)),
        ...failure,
      });
    }
    if (error !== undefined) this.open.fail(sentenceOf(how.outcome));
    const { context, startedAt } = this.open;
    this.open.end(how.at);
    const labels = { ...this.#facts };
    delete labels[keys.operation];
    if (model === undefined && MODEL_UNPROVEN.has(how.outcome)) delete labels[keys.requestModel];
    const seconds = Math.max(how.at - startedAt, 0) / 1000;
    instruments.record("agentDuration", seconds, { ...labels, ...failure }, context);
    if (caller === SUBAGENT) return;
    const origin = { [keys.caller]: caller, ...given(keys.tenant, tenant) };
    instruments.record("calls", 1, { ...origin, ...failure }, context);
    if (how.costUsd === undefined || how.costUsd < 0) return;
    const asked = given(keys.requestModel, labels[keys.requestModel] ?? model);
    instruments.record("cost", how.costUsd, { ...origin, ...asked }, context);
  }

  #setInput(keys: Conventions["keys"]): void {
    const { content } = this.#shared;
    const { prompt, requested } = this.#start;
    this.open.set({
      ...given(keys.inputMessages, content.prompt(prompt)),
      ...given(keys.systemInstructions, content.systemPrompt(requested?.systemPrompt)),
    });
  }
}

/** The caller of a run that a tool call started. */
export const SUBAGENT = "subagent";

/** The value of `error.type` of a tool whose result is an error, and of its sub-agent. */
export const TOOL_ERROR = "tool_error";

/** The value of `error.type` for the outcome of a call or a turn; undefined if it is no failure. */
export function errorTypeOf(outcome: string): string | undefined {
  if (NO_FAILURES.has(outcome)) return undefined;
  return outcome in ERROR_CODES || outcome === TOOL_ERROR ? outcome : OTHER;
}

/** An attribute, if it has a value. */
export function given(key: string, value: Attributes[string]): Attributes {
  return value === undefined ? {} : { [key]: value };
}

/** A name that a client may have chosen, cut if it is long. */
export function nameIn(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return value.length <= LONGEST_NAME ? value : `${value.slice(0, LONGEST_NAME)}…`;
}

const LONGEST_NAME = 200;

/** `tool_calls`: the model has called tools that the caller runs. */
const NO_FAILURES = new Set(["ok", "tool_calls"]);
/**
 * Failures before it is known whether there is such a model. Clients of a gateway choose its name, and could make
 * metrics without end by invented ones.
 */
const MODEL_UNPROVEN = new Set(["model_not_found", "aborted"]);
/** The conventions' word for an error without a code. */
const OTHER = "_OTHER";

/** The general sentence of a code. The message of the error itself could quote contents. */
function sentenceOf(outcome: string): string | undefined {
  return outcome in ERROR_CODES ? ERROR_CODES[outcome as ErrorCode].sentence : undefined;
}
