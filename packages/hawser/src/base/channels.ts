import type { AsyncLocalStorage } from "node:async_hooks";
import { channel, type TracingChannelSubscribers, tracingChannel } from "node:diagnostics_channel";
import type {
  AdmissionEndEvent,
  AdmissionEvent,
  ApiRetryEvent,
  ApprovalAnsweredEvent,
  ApprovalRequestedEvent,
  CallEndEvent,
  CallRetryEvent,
  CallStartEvent,
  PauseEvent,
  PermissionAskedEvent,
  PermissionDecidedEvent,
  ProcessEvent,
  RoundEndEvent,
  RoundStartEvent,
  SessionEndEvent,
  SessionMessagesEvent,
  SessionReadyEvent,
  SessionRecoveredEvent,
  SessionStartEvent,
  ToolEndEvent,
  ToolStartEvent,
  TracedCall,
  TracedCallback,
  TracedTurn,
  TurnEndEvent,
  TurnStartEvent,
} from "./channel-events.js";

/** A channel of `node:diagnostics_channel` with the type of its events. */
export interface EventChannel<Event> {
  readonly name: string | symbol;
  readonly hasSubscribers: boolean;
  /** Calls the listener with each event from now on. */
  subscribe(listener: (event: Event, name: string | symbol) => void): void;
  /** Removes a listener. */
  unsubscribe(listener: (event: Event, name: string | symbol) => void): void;
  /** For Hawser's own use. */
  publish(event: Event): void;
}

/** The channels of `CHANNELS`, by name. */
export interface EventChannels {
  /** `hawser:call:start`: a `complete()` or `stream()` begins. */
  readonly callStart: EventChannel<CallStartEvent>;
  /** `hawser:call:end`: a call has its outcome. */
  readonly callEnd: EventChannel<CallEndEvent>;
  /** `hawser:call:retry`: a call failed and is made again. */
  readonly callRetry: EventChannel<CallRetryEvent>;
  /** `hawser:session:start`: a session begins. */
  readonly sessionStart: EventChannel<SessionStartEvent>;
  /** `hawser:session:ready`: the process of a session is ready for prompts. */
  readonly sessionReady: EventChannel<SessionReadyEvent>;
  /** `hawser:session:recovered`: a new process continues a session whose process had died. */
  readonly sessionRecovered: EventChannel<SessionRecoveredEvent>;
  /** `hawser:session:messages`: all messages of the CLI, also stream events. */
  readonly sessionMessages: EventChannel<SessionMessagesEvent>;
  /** `hawser:session:end`: a session is over. */
  readonly sessionEnd: EventChannel<SessionEndEvent>;
  /** `hawser:turn:start`: a prompt was given to a session. */
  readonly turnStart: EventChannel<TurnStartEvent>;
  /** `hawser:turn:end`: a turn has its result, or failed. */
  readonly turnEnd: EventChannel<TurnEndEvent>;
  /** `hawser:round:start`: a reply of the model begins. */
  readonly roundStart: EventChannel<RoundStartEvent>;
  /** `hawser:round:end`: a reply of the model is complete, or was cut off. */
  readonly roundEnd: EventChannel<RoundEndEvent>;
  /** `hawser:api:retry`: the CLI repeats a request to the API. */
  readonly apiRetry: EventChannel<ApiRetryEvent>;
  /** `hawser:tool:start`: the model has called a tool. */
  readonly toolStart: EventChannel<ToolStartEvent>;
  /** `hawser:tool:end`: a tool call has its result, or was denied or interrupted. */
  readonly toolEnd: EventChannel<ToolEndEvent>;
  /** `hawser:permission:asked`: the CLI asks whether a tool may run. */
  readonly permissionAsked: EventChannel<PermissionAskedEvent>;
  /** `hawser:permission:decided`: it was decided whether a tool may run. */
  readonly permissionDecided: EventChannel<PermissionDecidedEvent>;
  /** `hawser:approval:requested`: a question of `createApprovals()` waits for an answer. */
  readonly approvalRequested: EventChannel<ApprovalRequestedEvent>;
  /** `hawser:approval:answered`: a question of `createApprovals()` waits no more. */
  readonly approvalAnswered: EventChannel<ApprovalAnsweredEvent>;
  /** `hawser:process:start`: a pool has started a process. */
  readonly processStart: EventChannel<ProcessEvent>;
  /** `hawser:process:ready`: a process of a pool can answer. */
  readonly processReady: EventChannel<ProcessEvent>;
  /** `hawser:process:assigned`: a call or a session got a process of a pool. */
  readonly processAssigned: EventChannel<ProcessEvent>;
  /** `hawser:process:reset`: the conversation of a process was reset for the next caller. */
  readonly processReset: EventChannel<ProcessEvent>;
  /** `hawser:process:discarded`: a pool ends a process. */
  readonly processDiscarded: EventChannel<ProcessEvent>;
  /** `hawser:admission:queued`: a request for a process of a pool has to wait. */
  readonly admissionQueued: EventChannel<AdmissionEvent>;
  /** `hawser:admission:admitted`: a request for a process of a pool is served. */
  readonly admissionAdmitted: EventChannel<AdmissionEndEvent>;
  /** `hawser:admission:refused`: a request for a process of a pool was refused or aborted. */
  readonly admissionRefused: EventChannel<AdmissionEndEvent>;
  /** `hawser:pause:start`: a pool starts no calls of an account for a while. */
  readonly pauseStart: EventChannel<PauseEvent>;
}

/**
 * The channels on which Hawser publishes its events, by `node:diagnostics_channel`. They cost nothing
 * without a subscriber. Events are published at once, inside Hawser's own work: a subscriber must be quick,
 * must not change an event, and should not keep the prompts, inputs and results that an event refers to.
 *
 * @example
 * ```ts
 * import { CHANNELS } from "hawser";
 *
 * CHANNELS.toolEnd.subscribe(({ tool, outcome, ms }) => console.log(tool, outcome, ms));
 * ```
 */
export const CHANNELS: EventChannels = {
  callStart: typed("hawser:call:start"),
  callEnd: typed("hawser:call:end"),
  callRetry: typed("hawser:call:retry"),
  sessionStart: typed("hawser:session:start"),
  sessionReady: typed("hawser:session:ready"),
  sessionRecovered: typed("hawser:session:recovered"),
  sessionMessages: typed("hawser:session:messages"),
  sessionEnd: typed("hawser:session:end"),
  turnStart: typed("hawser:turn:start"),
  turnEnd: typed("hawser:turn:end"),
  roundStart: typed("hawser:round:start"),
  roundEnd: typed("hawser:round:end"),
  apiRetry: typed("hawser:api:retry"),
  toolStart: typed("hawser:tool:start"),
  toolEnd: typed("hawser:tool:end"),
  permissionAsked: typed("hawser:permission:asked"),
  permissionDecided: typed("hawser:permission:decided"),
  approvalRequested: typed("hawser:approval:requested"),
  approvalAnswered: typed("hawser:approval:answered"),
  processStart: typed("hawser:process:start"),
  processReady: typed("hawser:process:ready"),
  processAssigned: typed("hawser:process:assigned"),
  processReset: typed("hawser:process:reset"),
  processDiscarded: typed("hawser:process:discarded"),
  admissionQueued: typed("hawser:admission:queued"),
  admissionAdmitted: typed("hawser:admission:admitted"),
  admissionRefused: typed("hawser:admission:refused"),
  pauseStart: typed("hawser:pause:start"),
};

/** One of the five channels of a `TypedTracingChannel`. A store of any type can be bound to it. */
export interface TracedChannel<Context extends object> extends EventChannel<Context> {
  /** Makes the result of `transform`, or the context itself, the value of the store inside the traced work. */
  bindStore<Store>(store: AsyncLocalStorage<Store>, transform?: (context: Context) => Store): void;
  /** False if the store was not bound. */
  unbindStore<Store>(store: AsyncLocalStorage<Store>): boolean;
  /** For Hawser's own use. */
  runStores<T>(context: Context, work: () => T): T;
}

/**
 * A tracing channel of `node:diagnostics_channel` with the type of its context objects. `TracingChannel` of
 * `@types/node` is not used, because the order of its type parameters depends on the version of that package.
 */
export interface TypedTracingChannel<Context extends object> {
  readonly start: TracedChannel<Context>;
  readonly end: TracedChannel<Context>;
  readonly asyncStart: TracedChannel<Context>;
  readonly asyncEnd: TracedChannel<Context>;
  readonly error: TracedChannel<Context>;
  /** Calls each of the listeners with the context objects of its channel from now on. */
  subscribe(subscribers: Partial<TracingChannelSubscribers<Context>>): void;
  /** Removes the listeners. */
  unsubscribe(subscribers: Partial<TracingChannelSubscribers<Context>>): void;
  /** For Hawser's own use. */
  tracePromise<T>(work: () => Promise<T>, context: Context): Promise<T>;
}

/** The tracing channels of `TRACING_CHANNELS`, by name. */
export interface TracingChannels {
  /** `hawser:call`: around a `complete()` or `stream()`. */
  readonly call: TypedTracingChannel<TracedCall>;
  /** `hawser:turn`: around `session.send()`, from the prompt to the result. */
  readonly turn: TypedTracingChannel<TracedTurn>;
  /** `hawser:callback`: around a function of the caller that the CLI asks for. */
  readonly callback: TypedTracingChannel<TracedCallback>;
}

/**
 * Tracing channels of `node:diagnostics_channel`. A store that is bound with `start.bindStore()` is active
 * inside the traced work: during a call, while a prompt is sent, and in a tool handler, `canUseTool`, a
 * hook, `onElicitation` or `onUserDialog`.
 *
 * @example
 * ```ts
 * import { AsyncLocalStorage } from "node:async_hooks";
 * import { TRACING_CHANNELS } from "hawser";
 *
 * const toolUse = new AsyncLocalStorage<string | undefined>();
 * TRACING_CHANNELS.callback.start.bindStore(toolUse, ({ toolUseId }) => toolUseId);
 * ```
 */
export const TRACING_CHANNELS: TracingChannels = {
  call: typedTracing("hawser:call"),
  turn: typedTracing("hawser:turn"),
  callback: typedTracing("hawser:callback"),
};

/** Publishes the result of `event()`, if the channel has subscribers. */
export function publish<Event>(to: EventChannel<Event>, event: () => NoInfer<Event>): void {
  if (to.hasSubscribers) to.publish(event());
}

/** Runs the work inside a tracing channel, if that has subscribers. */
export function runTraced<Context extends object, T>(
  tracing: TypedTracingChannel<Context>,
  context: () => Context,
  work: () => Promise<T>,
): Promise<T> {
  const { start, end, asyncStart, asyncEnd, error } = tracing;
  const isWatched = [start, end, asyncStart, asyncEnd, error].some((each) => each.hasSubscribers);
  return isWatched ? tracing.tracePromise(work, context()) : work();
}

/** The time of an event that happens now. */
export function eventTime(): number {
  return performance.timeOrigin + performance.now();
}

function typed<Event>(name: string): EventChannel<Event> {
  return channel(name) as EventChannel<Event>;
}

function typedTracing<Context extends object>(name: string): TypedTracingChannel<Context> {
  return tracingChannel(name) as unknown as TypedTracingChannel<Context>;
}
