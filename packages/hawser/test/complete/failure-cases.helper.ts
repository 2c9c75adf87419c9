import { expect } from "vitest";
import { ERROR_CODES, type ErrorCode, HawserError, type Issue } from "../../src/base/index.js";
import { type Completion, stream } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import { type World, world } from "../support/world.js";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Something that can happen to a call, made for real, and what comes of it. */
export interface Cause {
  /** As it stands on the page. */
  readonly cause: string;
  readonly attempt: (path: string) => Promise<Tried>;
  readonly becomes: Failure | Answer;
  /** Where the older CLI differs. */
  readonly onOlder?: Failure | Answer;
  /** How often the model may be asked, on either CLI; twice unless given. */
  readonly mostCalls?: number;
  readonly skip?: boolean;
}

/** All that is known of a failure; what is not named is absent. Hint and retryable are the row's. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: RegExp;
  readonly retryable?: boolean;
  readonly hint?: string;
  /** Where there is a session: whether it can be gone on with. Without it, there is no id either. */
  readonly resumable?: boolean;
  /** The one that was given; else it is one that the call chose. */
  readonly sessionId?: string;
  readonly phase?: string;
  readonly apiStatus?: number;
  readonly retryAfterMs?: number;
  readonly resetsAt?: Date;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly stderrTail?: string;
  readonly reason?: unknown;
  readonly partialText?: string;
  readonly issues?: readonly Issue[];
}

export interface Answer {
  readonly text: string;
  readonly stop: Completion["stop"];
}

export interface Tried {
  readonly outcome: Completion<unknown> | HawserError;
  /** How often the model was asked. */
  readonly calls: number;
}

/** A call in a world of its own; `meanwhile` begins when the call does, and what it throws counts. */
export interface Attempt {
  readonly replies?: Parameters<typeof world>[1];
  readonly environment?: Parameters<typeof world>[2];
  readonly prompt?: string;
  readonly options?: Options | ((place: World) => Options | Promise<Options>);
  readonly meanwhile?: (place: World, call: ReturnType<typeof stream>) => Promise<unknown>;
}

export function attempting(what: Attempt): Cause["attempt"] {
  return async (path) => {
    const { replies = [], environment, prompt = "Say it.", options = {}, meanwhile } = what;
    const place = await world(path, replies, environment);
    const own = typeof options === "function" ? await options(place) : options;
    // A value may be owed; which one, matters to no test of failures.
    const call = stream(prompt, { ...place.options, ...(own as object) });
    const reading = meanwhile?.(place, call).catch((error: unknown) => error);
    const outcome = await call.completion.catch((error: unknown) => error);
    const thrown = await reading;
    if (thrown instanceof Error && !(thrown instanceof HawserError)) throw thrown;
    const told = (thrown ?? outcome) as Tried["outcome"];
    return { outcome: told, calls: place.model.calls.length };
  };
}

/** A failure with all that the table of codes says of it. */
export function wholeFailure({ message: _, ...failure }: Failure): object {
  const { retryable, hint } = ERROR_CODES[failure.code];
  const session = failure.resumable === undefined ? {} : { sessionId: expect.stringMatching(UUID) };
  return { retryable, hint, ...session, ...failure };
}

/** The same facts of what was thrown. */
export function factsOf(error: HawserError): object {
  const { code, retryable, hint, phase, apiStatus, retryAfterMs, resetsAt } = error;
  const { exitCode, signal, stderrTail, reason, partialText, issues, sessionId, resumable } = error;
  const ofCall = { code, retryable, hint, sessionId, resumable, partialText, issues, reason };
  const ofApi = { phase, apiStatus, retryAfterMs, resetsAt };
  const facts = { ...ofCall, ...ofApi, exitCode, signal, stderrTail };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
