import { randomUUID } from "node:crypto";
import type { SessionStartEvent } from "../base/index.js";
import { type Options, offersClientTools } from "../options/index.js";
import type { RunningProcess } from "../transport/index.js";
import type { HostRequest, InitializePayload, ResultMessage } from "../wire/index.js";
import type { Timeouts } from "./timeouts.js";

/** What the events of a session say about its origin. */
export interface SessionOrigin {
  readonly purpose: SessionStartEvent["purpose"];
  /** The number of the call that the session serves. */
  readonly call?: number | undefined;
}

/** The parameters of a new session. */
export interface SessionStart {
  /** The function that the session serves; without it the session publishes no events. */
  readonly purpose?: SessionOrigin["purpose"] | undefined;
  /** The number of the call that the session serves. */
  readonly call?: number | undefined;
  readonly options: Options;
  readonly timeouts: Timeouts;
  /** Whether readers get the model's stream events. The session itself always uses them. */
  readonly showsEvents: boolean;
  /** A process that runs already; without it the session starts one. */
  readonly warm?: PrestartedProcess | undefined;
  readonly watcher?: SessionWatcher | undefined;
}

/** Implemented by the pool that lends the process. It must not point at the session. */
export interface SessionWatcher {
  /** Called for every result, also of turns that the CLI began by itself. */
  readonly onResult: (result: ResultMessage) => void;
  /** The session is over; its process may not be gone yet. */
  readonly onOver: () => void;
}

/** How the process of a session is started. */
export interface ProcessStart {
  /** Time limit from the start of the process, or from taking it over, to the answer to initialize. */
  readonly bootMs: number;
  readonly warm?: PrestartedProcess | undefined;
  /** Without it, the session publishes no events. */
  readonly origin?: SessionOrigin | undefined;
}

/** A process that was started before its session. */
export interface PrestartedProcess extends RunningProcess {
  /** Its answer to initialize, if it has been initialized already. */
  readonly info?: InitializePayload | undefined;
  /** The id of the conversation that the process is in. */
  readonly sessionId: string | undefined;
  /** The newest result of its last session: the CLI may continue its running totals from there. */
  readonly before?: ResultMessage | undefined;
  /** Whether no caller waits for the process yet, so that the program may end before it is ready. */
  readonly isAhead?: boolean | undefined;
  /** Requests to send along with initialize. The CLI must accept each of them before a prompt is sent. */
  readonly late: readonly HostRequest[];
}

/** The options with a session id that this side chose, so that the id is known from the start. */
export function withId(options: Options): Options {
  return hasOwnSession(options) ? options : { ...options, sessionId: randomUUID() };
}

/** Whether the options name the session. */
export function hasOwnSession(options: Options): boolean {
  return options.sessionId !== undefined || isResumed(options);
}

/** Whether the options continue an earlier session. */
export function isResumed({ resume, continue: goesOn }: Options): boolean {
  return resume !== undefined || goesOn === true;
}

/** Whether the CLI may have to ask this side: by a hook, for a permission, or for a tool call. */
export function usesHostCallbacks(options: Options): boolean {
  const { hooks, canUseTool, onElicitation, onUserDialog, rules, mcpServers } = options;
  if (offersClientTools(options)) return true;
  const callbacks = [hooks, canUseTool, onElicitation, onUserDialog, rules];
  if (callbacks.some((each) => each !== undefined)) return true;
  const servers = typeof mcpServers === "object" ? Object.values(mcpServers) : [];
  return servers.some(({ type }) => type === "sdk");
}
