/** The fields of every event. */
export interface EventTime {
  /**
   * When it happened: milliseconds since 1970, with fractions, by a clock that never goes back. The
   * difference of two events of one program is a duration.
   */
  readonly at: number;
}

/** The session that an event belongs to. */
export interface SessionIds {
  /** Hawser's number of the session, unique in the program. It never changes. */
  readonly session: number;
  /** The CLI's id of the session. It may be unknown at first, and `/clear` changes it. */
  readonly sessionId: string | undefined;
  /** The call that the session serves; undefined for `openSession()` and `query()`. */
  readonly call: number | undefined;
}

/** The turn that an event belongs to. */
export interface TurnIds extends SessionIds {
  /**
   * The uuid of the prompt. A turn of `query()`, and a turn that the CLI began by itself, has a name that
   * is unique in the program instead. Undefined while no turn runs.
   */
  readonly turn: string | undefined;
}

/** The tokens of one request to the model, or of one turn. */
export interface TokenCounts {
  /** Without the tokens that were read from the cache or written to it. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cacheReadTokens: number | undefined;
  readonly cacheCreationTokens: number | undefined;
}

/** What the options of a call or a session ask for. */
export interface RequestedFacts {
  /** The option `model`. */
  readonly model: string | undefined;
  /** The option `agent`: the agent that runs the main thread. */
  readonly agent: string | undefined;
  /** The option `systemPrompt`, by reference. */
  readonly systemPrompt: unknown;
  /** `json` if the options have a schema. */
  readonly output: "text" | "json";
  /** The names of the option `clientTools`: tools that the caller runs. */
  readonly clientTools?: readonly string[] | undefined;
}

/** A `complete()` or `stream()` begins. */
export interface CallStartEvent extends EventTime, RequestedFacts {
  /** The number of the call, unique in the program. */
  readonly call: number;
  /** `"complete()"` or `"stream()"`. */
  readonly caller: string;
  readonly tenant: string | undefined;
  /** The prompt, by reference. */
  readonly prompt: unknown;
}

/** A `complete()` or `stream()` ends. */
export interface CallEndEvent
  extends EventTime,
    Pick<CallStartEvent, "call" | "caller" | "tenant"> {
  /** `ok`, or the code of the failure. */
  readonly outcome: string;
  readonly ms: number;
  readonly costUsd?: number | undefined;
  readonly error?: unknown;
  /** The `Completion`, by reference; only if the outcome is `ok`. */
  readonly completion?: unknown;
}

/** A call failed and is made again after a pause. */
export interface CallRetryEvent extends EventTime {
  readonly call: number;
  /** How many attempts have failed. */
  readonly attempt: number;
  /** How many attempts may follow the first one. */
  readonly of: number;
  readonly delayMs: number;
  /** The code of the failure. */
  readonly code: string;
  readonly error: unknown;
}

/** A session begins. Its process may still be starting. */
export interface SessionStartEvent extends EventTime, SessionIds, RequestedFacts {
  /** Which function the session serves: `complete()` or `stream()`, `openSession()`, `query()`. */
  readonly purpose: "call" | "session" | "query";
}

/** The process of a session is ready for prompts. After a recovery, this is another process. */
export interface SessionReadyEvent extends EventTime, SessionIds {
  readonly pid: number | undefined;
  readonly cliVersion: string | undefined;
  /** The time since the start of the session, or since its last process ended. */
  readonly ms: number;
}

/** The process of a session had died, and a new process continues the session. */
export interface SessionRecoveredEvent extends EventTime, SessionIds {
  readonly pid: number | undefined;
  /** False if there was nothing to resume yet. */
  readonly resumed: boolean;
  /** Why the earlier process ended, as a sentence. */
  readonly reason: string;
}

/** Messages of the CLI that arrived together, in their order. */
export interface SessionMessagesEvent extends EventTime, TurnIds {
  /** Objects of the type `Message`, by reference. */
  readonly messages: readonly unknown[];
}

/** A session is over. */
export interface SessionEndEvent extends EventTime, SessionIds {
  readonly purpose: SessionStartEvent["purpose"];
  /** `closed`, `detached` if a pool took the process back, or the code of the failure. */
  readonly outcome: string;
  readonly ms: number;
  readonly error?: unknown;
}

/** A prompt was given to a session. The CLI may begin with it later. */
export interface TurnStartEvent extends EventTime, TurnIds {
  readonly turn: string;
  /** The content of the prompt, by reference; undefined if the turn has no prompt of its own. */
  readonly prompt: unknown;
}

/** A turn has its result, or failed. */
export interface TurnEndEvent extends EventTime, TurnIds {
  readonly turn: string;
  /** `ok`, or the code of the failure. */
  readonly outcome: string;
  readonly ms: number;
  /**
   * How many requests to the model the turn had, those of sub-agents included. 0 if another turn of several
   * that were answered together has them.
   */
  readonly rounds: number;
  readonly costUsd: number | undefined;
  /** The tokens of the main thread, as the CLI's result has them. */
  readonly usage: TokenCounts | undefined;
  /** The uuids of other prompts that were answered together with this prompt. */
  readonly merged: readonly string[];
  /** The `ResultMessage`, by reference; undefined if there is none. */
  readonly result: unknown;
  readonly error?: unknown;
}

/** The first sign of a reply of the model. `at` is when the request was sent, as far as it is known. */
export interface RoundStartEvent extends EventTime, TurnIds {
  /** The number of the round in its session. */
  readonly round: number;
  /** The API's id of the reply. */
  readonly messageId: string | undefined;
  readonly model: string | undefined;
  /** The tool call that started the sub-agent; `null` for the main thread. */
  readonly parentToolUseId: string | null;
}

/** A reply of the model is complete, or was cut off. */
export interface RoundEndEvent extends RoundStartEvent {
  readonly outcome: "ok" | "interrupted";
  readonly ms: number;
  /** The time from the request to the first stream event; undefined without partial messages. */
  readonly firstTokenMs: number | undefined;
  /**
   * Without partial messages it lacks `outputTokens`, because the CLI does not report the final usage then.
   */
  readonly usage: TokenCounts | undefined;
  readonly stopReason: string | undefined;
  /** The content blocks of the reply, by reference. */
  readonly content: readonly unknown[];
}

/** The model has called a tool. */
export interface ToolStartEvent extends EventTime, TurnIds {
  /** The round whose reply has the call. */
  readonly round: number | undefined;
  readonly toolUseId: string;
  readonly tool: string;
  /** The tool call that started the sub-agent; `null` for the main thread. */
  readonly parentToolUseId: string | null;
  /** The type of the sub-agent that this call starts; undefined for any other tool. */
  readonly subagentType: string | undefined;
  /** The input, by reference. */
  readonly input: unknown;
}

/** A tool call has its result, or will not get one. */
export interface ToolEndEvent extends ToolStartEvent {
  /** `denied`: the tool did not run. `interrupted`: the turn or the process ended before the result. */
  readonly outcome: "ok" | "error" | "denied" | "interrupted";
  readonly ms: number;
  /** The content of the result, by reference. */
  readonly result: unknown;
}

/** The CLI asks whether a tool may run. */
export interface PermissionAskedEvent extends EventTime, TurnIds {
  /** The id of the question, unique in its process. */
  readonly request: string;
  readonly toolUseId: string | undefined;
  readonly tool: string;
  readonly parentToolUseId: string | null;
  /** The input, by reference. */
  readonly input: unknown;
}

/** The person or part that decided about a tool call. */
export type PermissionDecider =
  /** `canUseTool`. */
  | "callback"
  /** A hook of the options. */
  | "hook"
  /** The option `rules`. */
  | "rule"
  /** A rule or the mode of the CLI. */
  | "cli"
  /** There is no callback, or it failed: the call is denied. */
  | "none";

/** A decision about a tool call, with or without a question of the CLI before it. */
export interface PermissionDecidedEvent extends EventTime, TurnIds {
  /** The id of the question; undefined if the CLI did not ask. */
  readonly request: string | undefined;
  readonly toolUseId: string | undefined;
  readonly tool: string;
  readonly parentToolUseId: string | null;
  readonly by: PermissionDecider;
  /**
   * `ask`: a question follows. `defer`: the session is to be resumed with an answer. `withdrawn`: there was no
   * answer, or the CLI waits for it no more.
   */
  readonly decision: "allow" | "deny" | "ask" | "defer" | "withdrawn";
  /** How long the decision took; undefined if the CLI decided. */
  readonly ms: number | undefined;
  /** The reason, as a sentence. */
  readonly reason: string | undefined;
}

/** A question of `createApprovals()` waits for an answer. */
export interface ApprovalRequestedEvent extends EventTime {
  /** The id of the approval. */
  readonly approval: string;
  /** Always undefined, because an `Approvals` object does not know this number. Use `sessionId`. */
  readonly session: number | undefined;
  /** The CLI's id of the session, if it is known. */
  readonly sessionId: string | undefined;
  readonly toolUseId: string | undefined;
  readonly tool: string | undefined;
  /** What is asked: a tool call, a question of the model, a plan, a question of an MCP server. */
  readonly kind: "tool" | "question" | "plan" | "elicitation";
  /** The input, by reference. */
  readonly input: unknown;
}

/**
 * A question of `createApprovals()` waits no more. Each of these events follows an `ApprovalRequestedEvent`.
 * A call that is settled at once, for example by an earlier grant, has neither event, only an audit record.
 */
export interface ApprovalAnsweredEvent extends Omit<ApprovalRequestedEvent, "input"> {
  /**
   * `granted`: the answer to another question, with `scope: "session"`, allowed this call too. `deny` also
   * stands for the end by `close()`.
   */
  readonly outcome: "allow" | "deny" | "expired" | "granted" | "withdrawn";
  /**
   * The name of the person or program that answered, as given to `answer()`; for `granted`, that gave the
   * grant. Undefined if the question expired, was withdrawn or was closed.
   */
  readonly by: string | undefined;
  /** How long the question waited. */
  readonly ms: number;
}

/** An event of a process in a pool. */
export interface ProcessEvent extends EventTime {
  readonly pool: number;
  readonly worker: number;
  readonly pid: number | undefined;
  /** How many calls and sessions the process has served. */
  readonly jobs?: number;
  /** Why the process was discarded: a code of `DiscardReason`. */
  readonly reason?: string;
  /** The message of the error that led to it, if there was an error. */
  readonly detail?: string;
  /** How the caller got the process: a `ProcessOrigin`. */
  readonly how?: string;
  /** The call that got the process, if it was a call. */
  readonly call?: number | undefined;
  /** The session that got the process. */
  readonly session?: number;
  readonly ms?: number;
}

/** A request for a process of a pool. */
export interface AdmissionEvent extends EventTime {
  readonly pool: number;
  /** The number of the request in its pool. A call that is retried makes several requests. */
  readonly admission: number;
  readonly call: number | undefined;
  readonly purpose: "call" | "session";
  readonly tenant: string | undefined;
  readonly priority: number;
  /** How many requests wait, after this event. */
  readonly queued: number;
  /** How many requests are being served, after this event. */
  readonly running: number;
}

/** A request for a process waits no more. */
export interface AdmissionEndEvent extends AdmissionEvent {
  /** How long the request has waited. */
  readonly ms: number;
  /** The code of the refusal; undefined if the request was admitted. */
  readonly code?: string;
  readonly error?: unknown;
}

/** The API has refused a call, so a pool starts no further calls of that account for a while. */
export interface PauseEvent extends EventTime {
  readonly pool: number;
  /** A hash that stands for the credential. */
  readonly account: string;
  /** The code of the call's error. */
  readonly code: string;
  readonly ms: number;
  /** When the pause ends, in milliseconds since 1970, unless a later event extends it. */
  readonly until: number;
  /** How many calls of the account may run at once after the pause. */
  readonly limit: number;
}

/** The CLI repeats a request to the API. */
export interface ApiRetryEvent extends EventTime, TurnIds {
  readonly attempt: number;
  readonly of: number;
  readonly delayMs: number;
  /** The HTTP status; undefined if there was no answer. */
  readonly status: number | undefined;
  /** What failed, in the words of the CLI. */
  readonly reason: string | undefined;
}

/** The context object of `TRACING_CHANNELS.call`. */
export interface TracedCall {
  readonly call: number;
  readonly caller: string;
  readonly tenant: string | undefined;
}

/** The context object of `TRACING_CHANNELS.turn`. */
export interface TracedTurn extends SessionIds {
  readonly turn: string;
}

/** The context object of `TRACING_CHANNELS.callback`. */
export interface TracedCallback extends TurnIds {
  readonly kind: "tool_handler" | "can_use_tool" | "hook" | "elicitation" | "dialog";
  /** The tool, the event of the hook, the MCP server that asks, or the kind of the dialog. */
  readonly name: string;
  readonly toolUseId: string | undefined;
  /** The tool call that started the sub-agent; `null` for the main thread. */
  readonly parentToolUseId: string | null;
}
