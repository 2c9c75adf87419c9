import { CHANNELS, type EventChannel, eventTime, TRACING_CHANNELS } from "../../base/index.js";
import { type Options, requestedFacts } from "../../options/index.js";
import { forgetLive } from "../live-sessions.js";
import type { SessionOrigin } from "../session-start.js";
import { type ObservedSession, SessionObserver } from "./session-observer.js";

let sessions = 0;

/**
 * Attaches an observer to a session as soon as anything subscribes to its channels: when the session begins,
 * or before its next turn. Without a subscriber there is no observer, and a message costs one comparison.
 */
export class Observation {
  /** Hawser's number of the session. */
  readonly number: number = ++sessions;
  readonly #session: ObservedSession;
  readonly #origin: SessionOrigin | undefined;
  readonly #options: Options;
  readonly #startedAt = eventTime();
  #observer: SessionObserver | undefined;
  #isOver = false;

  /** Without an origin, the session is an internal one that publishes no events. */
  constructor(session: ObservedSession, origin: SessionOrigin | undefined, options: Options) {
    this.#session = session;
    this.#origin = origin;
    this.#options = options;
  }

  /** Undefined as long as nothing has subscribed. */
  get observer(): SessionObserver | undefined {
    return this.#observer;
  }

  /** To be called when the session begins, and before each turn. */
  attachIfWatched(): void {
    if (this.#observer !== undefined || this.#origin === undefined || this.#isOver) return;
    if (!WATCHED.some((channel) => channel.hasSubscribers)) return;
    this.#observer = new SessionObserver(this.#session, {
      ...this.#origin,
      session: this.number,
      startedAt: this.#startedAt,
      requested: requestedFacts(this.#options),
    });
  }

  /** The session is over for the caller. What the library still does with the process is not observed. */
  end(outcome: string, error?: unknown): void {
    this.#isOver = true;
    forgetLive(this.number);
    this.#observer?.onOver(outcome, error);
    this.#observer = undefined;
  }
}

/** Only the presence of subscribers counts here, whatever the type of the events. */
type AnyChannel = Pick<EventChannel<unknown>, "hasSubscribers">;

const { turn, callback } = TRACING_CHANNELS;

const WATCHED: readonly AnyChannel[] = [
  CHANNELS.sessionStart,
  CHANNELS.sessionReady,
  CHANNELS.sessionRecovered,
  CHANNELS.sessionMessages,
  CHANNELS.sessionEnd,
  CHANNELS.turnStart,
  CHANNELS.turnEnd,
  CHANNELS.roundStart,
  CHANNELS.roundEnd,
  CHANNELS.apiRetry,
  CHANNELS.toolStart,
  CHANNELS.toolEnd,
  CHANNELS.permissionAsked,
  CHANNELS.permissionDecided,
  ...[turn, callback].flatMap(({ start, end, asyncStart, asyncEnd, error }) => [
    start,
    end,
    asyncStart,
    asyncEnd,
    error,
  ]),
];
