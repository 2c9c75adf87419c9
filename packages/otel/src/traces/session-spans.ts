import { type Attributes, type Context, SpanKind } from "@opentelemetry/api";
import type {
  PermissionDecidedEvent,
  RoundEndEvent,
  RoundStartEvent,
  SessionStartEvent,
  ToolEndEvent,
  ToolStartEvent,
  TurnEndEvent,
  TurnStartEvent,
} from "hawser";
import { EVENTS, KEYS, SPANS } from "../conventions.js";
import { AgentRun, given, SUBAGENT, TOOL_ERROR } from "./agent-run.js";
import type { Instrumentation } from "./instrumentation.js";
import type { OpenSpan } from "./open-spans.js";
import { knownTokens, tokenAttributes } from "./token-attributes.js";

/** The part of a trace that belongs to one session: its turns, replies, tools and sub-agents. */
export class SessionSpans {
  readonly started: SessionStartEvent;
  /** How long the process took until it was ready; the first turn that ends reports it. */
  bootMs: number | undefined;
  poolHow: string | undefined;
  readonly #shared: Instrumentation;
  /** The context in which the session was opened. */
  readonly #context: Context;
  /** The run of the call that the session serves. */
  readonly #callRun: AgentRun | undefined;
  readonly #turns = new Map<string, SessionTurn>();
  readonly #rounds = new Map<number, OpenSpan>();
  readonly #tools = new Map<string, OpenTool>();
  /** Where the spans of sub-agents belong that run on in the background, after their tool call has its result. */
  readonly #background = new Map<string, AgentRun>();

  constructor(
    shared: Instrumentation,
    started: SessionStartEvent,
    context: Context,
    callRun: AgentRun | undefined,
  ) {
    this.#shared = shared;
    this.started = started;
    this.#context = context;
    this.#callRun = callRun;
  }

  onTurnStart({ at, turn, prompt }: TurnStartEvent, active: Context): void {
    if (this.started.call !== undefined) return;
    // A turn of `query()`, or one that the CLI began, starts with a message of the CLI.
    const parent = prompt === undefined ? this.#context : active;
    const { purpose: caller } = this.started;
    const requested = this.started;
    const run = new AgentRun(this.#shared, { at, parent, caller, prompt, requested });
    run.poolHow = this.poolHow;
    this.#turns.set(turn, { run, outputTokens: 0, lacksOutput: false });
  }

  onTurnEnd(event: TurnEndEvent): void {
    const { at, turn, outcome, costUsd, rounds, usage, sessionId, result } = event;
    const known = this.#turns.get(turn);
    if (known === undefined) return;
    this.#turns.delete(turn);
    const { run } = known;
    const tokens = knownTokens(usage);
    if (known.lacksOutput) this.#recordMissingOutput(known, tokens?.output);
    const answer = textOf(result);
    const { bootMs } = this;
    this.bootMs = undefined;
    run.end({ at, outcome, conversation: sessionId, tokens, costUsd, rounds, bootMs, answer });
  }

  onRoundStart(event: RoundStartEvent): void {
    const { at, round, model, messageId, sessionId } = event;
    const { spans, conventions, provider } = this.#shared;
    const { keys } = conventions;
    const { operation } = SPANS.chat;
    const above = this.#agentOf(event, at);
    if (above !== undefined && model !== undefined) above.model = model;
    const open = spans.start({
      name: model === undefined ? operation : `${operation} ${model}`,
      kind: SpanKind.CLIENT,
      at,
      parent: above?.open.context ?? this.#context,
      above: above?.open,
      attributes: {
        [keys.operation]: operation,
        [keys.provider]: provider,
        ...given(keys.conversation, sessionId),
        ...given(keys.requestModel, model),
        ...given(keys.responseModel, model),
        ...given(keys.responseId, messageId),
      },
    });
    this.#rounds.set(round, open);
  }

  onRoundEnd(event: RoundEndEvent): void {
    const { at, ms, round, model, firstTokenMs, usage, stopReason, outcome, content } = event;
    const open = this.#rounds.get(round);
    if (open === undefined) return;
    this.#rounds.delete(round);
    const { conventions, instruments, provider, content: contents } = this.#shared;
    const { keys } = conventions;
    const tokens = knownTokens(usage);
    const firstChunk = firstTokenMs === undefined ? undefined : firstTokenMs / 1000;
    if (open.span.isRecording()) {
      open.set({
        ...tokenAttributes(keys, tokens),
        ...given(keys.firstChunk, firstChunk),
        ...(firstChunk === undefined ? {} : { [keys.isStreamed]: true }),
        ...(stopReason === undefined ? {} : { [keys.finishReasons]: [stopReason] }),
        ...(outcome === "ok" ? {} : { [keys.outcome]: outcome }),
        ...given(keys.outputMessages, contents.answer(content, stopReason)),
      });
    }
    open.end(at);
    const labels: Attributes = {
      [keys.operation]: SPANS.chat.operation,
      [keys.provider]: provider,
      ...given(keys.requestModel, model),
      ...given(keys.responseModel, model),
    };
    instruments.record("operationDuration", ms / 1000, labels, open.context);
    if (firstChunk !== undefined) {
      instruments.record("firstChunk", firstChunk, labels, open.context);
    }
    if (tokens !== undefined) instruments.recordTokens(tokens, labels, open.context);
    this.#noteOutput(event, tokens?.output);
  }

  onToolStart(event: ToolStartEvent): void {
    const { at, toolUseId, tool, sessionId, input } = event;
    // The caller runs such a tool, after the call. Hawser only interrupts the CLI, which then reports a denial.
    if (this.started.clientTools?.includes(tool) === true) return;
    const { spans, conventions, content } = this.#shared;
    const { keys } = conventions;
    const { operation } = SPANS.tool;
    const above = this.#agentOf(event, at);
    const open = spans.start({
      name: `${operation} ${tool}`,
      kind: SpanKind.INTERNAL,
      at,
      parent: above?.open.context ?? this.#context,
      above: above?.open,
      attributes: {
        [keys.operation]: operation,
        [keys.toolName]: tool,
        [keys.toolCallId]: toolUseId,
        [keys.toolType]: toolTypeOf(tool),
        ...given(keys.conversation, sessionId),
      },
    });
    if (open.span.isRecording()) open.set(given(keys.toolArguments, content.tool(input)));
    this.#tools.set(toolUseId, { open, start: event, subagent: undefined });
  }

  onToolEnd({ at, ms, toolUseId, tool, outcome, result }: ToolEndEvent): void {
    const known = this.#tools.get(toolUseId);
    if (known === undefined) return;
    this.#tools.delete(toolUseId);
    const { open } = known;
    const { conventions, instruments, content } = this.#shared;
    const { keys } = conventions;
    const isFailure = outcome === "error";
    const failure = isFailure ? { [keys.errorType]: TOOL_ERROR } : {};
    if (outcome !== "denied") this.#endSubagent(known, at, outcome);
    if (open.span.isRecording()) {
      open.set({
        ...failure,
        ...(outcome === "denied" || outcome === "interrupted" ? { [keys.outcome]: outcome } : {}),
        ...given(keys.toolResult, content.tool(result)),
      });
    }
    if (isFailure) open.fail();
    open.end(at);
    const labels = { [keys.toolName]: tool, [keys.toolType]: toolTypeOf(tool), ...failure };
    instruments.record("toolDuration", ms / 1000, labels, open.context);
  }

  onDecided(event: PermissionDecidedEvent): void {
    const { at, decision, by, ms, tool, toolUseId = "" } = event;
    const open = this.#tools.get(toolUseId)?.open ?? this.#agentOf(event, at)?.open;
    open?.addEvent(EVENTS.permission.name, at, {
      [KEYS.decision]: decision,
      [KEYS.decidedBy]: by,
      ...given(KEYS.waitMs, ms),
      [this.#shared.conventions.keys.toolName]: tool,
    });
  }

  /** Adds an event to the run of a turn, or to the newest run if the turn is not known. */
  addRunEvent(turn: string | undefined, name: string, at: number, attributes: Attributes): void {
    this.#runOf(turn)?.open.addEvent(name, at, attributes);
  }

  /** The span that a function of the caller belongs to. */
  spanFor(turn: string | undefined, toolUseId: string | undefined): OpenSpan | undefined {
    return this.#tools.get(toolUseId ?? "")?.open ?? this.#runOf(turn)?.open;
  }

  /** The session is over. Hawser publishes the end of all its parts before, so nothing should be open. */
  end(): void {
    const { spans } = this.#shared;
    for (const round of this.#rounds.values()) spans.lose(round);
    for (const { open, subagent } of [...this.#tools.values()].reverse()) {
      if (subagent !== undefined) spans.lose(subagent.open);
      spans.lose(open);
    }
    for (const { run } of this.#turns.values()) spans.lose(run.open);
    for (const each of [this.#rounds, this.#tools, this.#turns, this.#background]) each.clear();
  }

  /** The run that a reply or a tool call belongs to: the sub-agent's, or that of the turn. */
  #agentOf(
    { parentToolUseId, turn }: Pick<RoundStartEvent, "parentToolUseId" | "turn">,
    at: number,
  ): AgentRun | undefined {
    const tool = this.#tools.get(parentToolUseId ?? "");
    if (tool !== undefined) return this.#subagentOf(tool, at);
    return this.#background.get(parentToolUseId ?? "") ?? this.#runOf(turn);
  }

  #runOf(turn: string | undefined): AgentRun | undefined {
    if (this.#callRun !== undefined) return this.#callRun;
    const known = turn === undefined ? undefined : this.#turns.get(turn);
    return (known ?? [...this.#turns.values()].at(-1))?.run;
  }

  /** The run of the sub-agent that a tool call started. It began with the call. */
  #subagentOf(tool: OpenTool, at: number): AgentRun {
    if (tool.subagent !== undefined) return tool.subagent;
    const { open, start } = tool;
    const run = new AgentRun(this.#shared, {
      at: Math.min(start.at, at),
      parent: open.context,
      above: open,
      caller: SUBAGENT,
      requested: { agent: start.subagentType },
    });
    tool.subagent = run;
    return run;
  }

  #endSubagent(tool: OpenTool, at: number, outcome: ToolEndEvent["outcome"]): void {
    const { start } = tool;
    if (start.subagentType === undefined && tool.subagent === undefined) return;
    const run = this.#subagentOf(tool, at);
    run.end({
      at,
      outcome: outcome === "error" ? TOOL_ERROR : "ok",
      ending: outcome === "interrupted" ? outcome : undefined,
      conversation: start.sessionId,
    });
    this.#background.set(start.toolUseId, run);
    if (this.#background.size <= MOST_BACKGROUND) return;
    const [oldest] = this.#background.keys();
    if (oldest !== undefined) this.#background.delete(oldest);
  }

  /** Counts the output tokens of a turn, because some replies come without them. */
  #noteOutput({ turn, parentToolUseId }: RoundEndEvent, output: number | undefined): void {
    const known = this.#turns.get(turn ?? "");
    if (known === undefined || parentToolUseId !== null) return;
    if (output === undefined) known.lacksOutput = true;
    else known.outputTokens += output;
  }

  /** Without partial messages, only the result of the turn tells the output tokens. */
  #recordMissingOutput({ run, outputTokens }: SessionTurn, total = 0): void {
    const { conventions, instruments, provider } = this.#shared;
    const { keys } = conventions;
    if (total <= outputTokens) return;
    const labels = {
      [keys.operation]: SPANS.chat.operation,
      [keys.provider]: provider,
      ...given(keys.requestModel, run.model),
      ...given(keys.responseModel, run.model),
    };
    instruments.recordTokens({ output: total - outputTokens }, labels, run.open.context);
  }
}

interface SessionTurn {
  readonly run: AgentRun;
  /** The output tokens of the main thread that were recorded. */
  outputTokens: number;
  lacksOutput: boolean;
}

interface OpenTool {
  readonly open: OpenSpan;
  readonly start: ToolStartEvent;
  subagent: AgentRun | undefined;
}

const MOST_BACKGROUND = 64;

/** A tool of the CLI runs in the CLI; a tool of an MCP server runs elsewhere, perhaps in this program. */
function toolTypeOf(tool: string): string {
  return tool.startsWith("mcp__") ? "function" : "extension";
}

function textOf(result: unknown): unknown {
  return typeof result === "object" && result !== null && "result" in result
    ? result.result
    : undefined;
}
