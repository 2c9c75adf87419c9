import { expect } from "vitest";
import { ERROR_CODES, type ErrorCode, HawserError, type Issue } from "../../src/base/index.js";
import { type Completion, stream } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import type { ScriptEntry } from "../../src/testing/index.js";
import type { SharedWorld } from "../support/shared-world.js";
import { type World, world } from "../support/world.js";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A cause of failure, an attempt that really provokes it, and the expected outcome. */
export interface Cause {
  /** The text on the page docs/errors.md. */
  readonly cause: string;
  readonly attempt: (path: string) => Promise<Tried>;
  /** The attempt on a pooled process, for rows whose process survives the failure. */
  readonly attemptIn?: (shared: SharedWorld) => Promise<Tried>;
  readonly becomes: Failure | Answer;
  /** The outcome on the older CLI, if it differs. */
  readonly onOlder?: Failure | Answer;
  /** The maximum number of model calls on either CLI; 2 by default. */
  readonly mostCalls?: number;
  readonly skip?: boolean;
  /** The test of `npm test` that provokes the same failure. Then only a full run has this row. */
  readonly elsewhere?: string;
}

/** All facts of a failure. A fact that is not listed is absent. The code table gives hint and retryable. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: RegExp;
  readonly retryable?: boolean;
  readonly hint?: string;
  /** Present if there is a session. Without it the error has no session id either. */
  readonly resumable?: boolean;
  /** The id that the options give; otherwise any id. */
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
  /** The number of model calls. */
  readonly calls: number;
}

/** A call in its own world. `meanwhile` starts together with the call, and its error counts too. */
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
    // The options may contain a schema. Tests of failures do not look at the value.
    const call = stream(prompt, { ...place.options, ...(own as object) });
    const reading = meanwhile?.(place, call).catch((error: unknown) => error);
    const outcome = await call.completion.catch((error: unknown) => error);
    const thrown = await reading;
    if (thrown instanceof Error && !(thrown instanceof HawserError)) throw thrown;
    const told = (thrown ?? outcome) as Tried["outcome"];
    return { outcome: told, calls: place.model.calls.length };
  };
}

/** A call on the pooled process of a shared world. */
export function attemptingIn(what: {
  readonly replies: readonly ScriptEntry[];
  readonly prompt?: string;
  readonly options?: Options;
}): (shared: SharedWorld) => Promise<Tried> {
  return async (shared) => {
    const { replies, prompt = "Say it.", options = {} } = what;
    shared.script(...replies);
    const all = { ...shared.options, ...(options as object), pool: shared.pool() };
    const outcome = await stream(prompt, all).completion.catch((error: unknown) => error);
    return { outcome: outcome as Tried["outcome"], calls: shared.calls.length };
  };
}

/** A failure completed with the facts of the code table. */
export function wholeFailure({ message: _, ...failure }: Failure): object {
  const { retryable, hint } = ERROR_CODES[failure.code];
  const session = failure.resumable === undefined ? {} : { sessionId: expect.stringMatching(UUID) };
  return { retryable, hint, ...session, ...failure };
}

/** The facts of a thrown error, to compare with `wholeFailure()`. */
export function factsOf(error: HawserError): object {
  const { code, retryable, hint, phase, apiStatus, retryAfterMs, resetsAt } = error;
  const { exitCode, signal, stderrTail, reason, partialText, issues, sessionId, resumable } = error;
  const ofCall = { code, retryable, hint, sessionId, resumable, partialText, issues, reason };
  const ofApi = { phase, apiStatus, retryAfterMs, resetsAt };
  const facts = { ...ofCall, ...ofApi, exitCode, signal, stderrTail };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
