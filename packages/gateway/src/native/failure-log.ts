import type { ErrorShape, EventOf, NativeEvent } from "./event-shape.js";

/** A failure of a turn, a session or a call, as clients get it. */
export interface Failure extends Omit<ErrorShape, "retryable" | "apiStatus"> {
  /** The id of the event that told it. */
  readonly id: string;
  /** The kind of that event. */
  readonly kind: NativeEvent["kind"];
  readonly at: number;
  readonly tenant?: string | undefined;
  readonly session?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly turn?: string | undefined;
  readonly call?: number | undefined;
  readonly retryable?: boolean | undefined;
  readonly apiStatus?: number | undefined;
}

/** The newest failures. They are kept longer than the events, which are many more. */
export class FailureLog {
  /** The oldest first. */
  readonly #failures: KeptFailure[] = [];

  /** `visibleTo` is the tenant that may see the event; undefined for admins only. */
  add(event: NativeEvent, visibleTo: string | undefined): void {
    const failure = failureIn(event);
    if (failure === undefined || this.#isKnown(failure)) return;
    this.#failures.push({ failure, visibleTo });
    if (this.#failures.length > MOST_FAILURES) this.#failures.shift();
  }

  /** The newest first. */
  list(isVisible: (visibleTo: string | undefined) => boolean): readonly Failure[] {
    return this.#failures
      .filter(({ visibleTo }) => isVisible(visibleTo))
      .map(({ failure }) => failure)
      .reverse();
  }

  /** One failure ends a turn, then its session and its call, with the same error. */
  #isKnown({ code, message, session, call, turn }: Failure): boolean {
    return this.#failures.slice(-RELATED).some(({ failure: known }) => {
      const isRelated =
        (session !== undefined && known.session === session) ||
        (call !== undefined && known.call === call);
      const isSameTurn = turn === undefined || known.turn === undefined || known.turn === turn;
      return isRelated && isSameTurn && known.code === code && known.message === message;
    });
  }
}

interface KeptFailure {
  readonly failure: Failure;
  readonly visibleTo: string | undefined;
}

const MOST_FAILURES = 200;
/** How many of the newest failures are compared with a new one. */
const RELATED = 20;

/** What this side has ended on purpose is no failure. */
const ON_PURPOSE: ReadonlySet<string> = new Set(["aborted", "closed", "pool_closed"]);

function failureIn(event: NativeEvent): Failure | undefined {
  const error = errorIn(event);
  if (error === undefined || ON_PURPOSE.has(error.code)) return undefined;
  const { id, kind, at, tenant, session, sessionId, turn, call } = event;
  const names = { tenant, session, sessionId, turn, call };
  const known = Object.entries(names).filter(([, value]) => value !== undefined);
  return { id, kind, at, ...Object.fromEntries(known), ...error };
}

function errorIn(event: NativeEvent): ErrorShape | undefined {
  // The error of a repetition is told again at the end, if it stays.
  if (!("error" in event) || event.error === undefined || event.kind === "call.retry") {
    return event.kind === "turn.end" ? resultError(event) : undefined;
  }
  return event.error;
}

/** The turn of a `query()`, or one that the CLI began by itself, has no error, but a result that tells a failure. */
function resultError({ outcome, text }: EventOf<"turn.end">): ErrorShape | undefined {
  if (outcome === "ok" || outcome === "tool_calls") return undefined;
  const said = typeof text === "string" && text !== "" ? text : `The turn ended: ${outcome}.`;
  return { code: outcome, message: said };
}
