import { ERROR_CODES, type ErrorCode } from "./error-codes.js";
import { hostMask, type Mask, maskDeep } from "./mask.js";
import { omitUndefined } from "./omit-undefined.js";

/** The stacks of errors before they got the frames of a caller. */
export const ownStacks: WeakMap<Error, string> = new WeakMap();

/**
 * A global symbol, so that `isHawserError()` knows the errors of every installed copy of hawser.
 */
const BRAND = Symbol.for("hawser.error");

/**
 * Facts that would fill a screen. They are serialised, but not enumerable: console.log() skips
 * them.
 */
const WHOLE_MESSAGES: readonly string[] = ["lastMessage", "result"];

/**
 * The part of a call whose time limit was reached: `idle` belongs to `timeouts.idleMs`, and so on.
 */
export type Phase =
  | "boot"
  | "firstMessage"
  | "idle"
  | "total"
  | "control"
  | "reset"
  | "close"
  | "probe"
  | "renew";

/** One problem of the input or the answer. */
export interface Issue {
  /** Where the problem is, such as `hooks.PreToolUse[0].matcher`. */
  readonly path?: string;
  /** What the problem is. */
  readonly message: string;
}

/** What is known about a failure besides its code. A fact that is not known is absent. */
export interface ErrorFacts {
  /** What to do about the failure. */
  readonly hint?: string;
  /** Whether the same call may succeed later without any change. */
  readonly retryable?: boolean;
  /** The error behind this one, for example of the operating system. */
  readonly cause?: unknown;
  /** Path of the CLI. */
  readonly cliPath?: string;
  /** Version of the CLI. */
  readonly cliVersion?: string;
  /** Exit code of the CLI process. */
  readonly exitCode?: number;
  /** Signal that ended the CLI process. */
  readonly signal?: string;
  /** The end of what the CLI wrote to stderr. */
  readonly stderrTail?: string;
  /** Id of the session of the call. */
  readonly sessionId?: string;
  /** Whether `resume: sessionId` can continue the session. */
  readonly resumable?: boolean;
  /** The part of the call whose time limit was reached, for `timeout`. */
  readonly phase?: Phase;
  /** HTTP status of the API's answer. */
  readonly apiStatus?: number;
  /** How long the API asks to wait before a retry, in milliseconds. */
  readonly retryAfterMs?: number;
  /** When the usage limit is reset, for `usage_limit`. */
  readonly resetsAt?: Date;
  /** Every problem of the input or the answer. */
  readonly issues?: readonly Issue[];
  /** Where the CLI was searched, for `cli_not_found`; no place is listed twice. */
  readonly tried?: readonly string[];
  /** The reason that your program gave for an abort, or the CLI for a stop. */
  readonly reason?: unknown;
  /** The last message that the CLI sent. */
  readonly lastMessage?: unknown;
  /** What the model had said before the failure. */
  readonly partialText?: string;
  /** The raw `result` line, if the CLI sent one. */
  readonly result?: unknown;
}

/**
 * The error that hawser throws. `code` is stable; `message` and `hint` are for people. Secrets are
 * masked when the error is made, so it is safe to log.
 *
 * @example
 * ```ts
 * try {
 *   await complete("Name three knots.");
 * } catch (error) {
 *   if (!isHawserError(error, "rate_limited")) throw error;
 *   console.log(`again in ${error.retryAfterMs ?? 60_000} ms`);
 * }
 * ```
 */
export class HawserError extends Error implements ErrorFacts {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly retryable: boolean;
  declare readonly cliPath?: string;
  declare readonly cliVersion?: string;
  declare readonly exitCode?: number;
  declare readonly signal?: string;
  declare readonly stderrTail?: string;
  declare readonly sessionId?: string;
  declare readonly resumable?: boolean;
  declare readonly phase?: Phase;
  declare readonly apiStatus?: number;
  declare readonly retryAfterMs?: number;
  declare readonly resetsAt?: Date;
  declare readonly issues?: readonly Issue[];
  declare readonly tried?: readonly string[];
  declare readonly reason?: unknown;
  declare readonly lastMessage?: unknown;
  declare readonly partialText?: string;
  declare readonly result?: unknown;

  /** `mask` removes the secrets of the process that the error is about. */
  constructor(code: ErrorCode, message?: string, facts: ErrorFacts = {}, mask: Mask = hostMask()) {
    const row = ERROR_CODES[code];
    const { hint, retryable, cause, ...rest } = facts;
    super(
      mask(message ?? row.sentence),
      cause === undefined ? undefined : { cause: maskDeep(cause, mask) },
    );
    // Reading the stack formats it. Until then it keeps every object alive that it passed through.
    this.stack = String(this.stack);
    this.code = code;
    this.hint = mask(hint ?? row.hint);
    this.retryable = retryable ?? row.retryable;
    for (const [name, value] of Object.entries(rest)) {
      if (value === undefined) continue;
      const enumerable = !WHOLE_MESSAGES.includes(name);
      Object.defineProperty(this, name, { value: maskDeep(value, mask), enumerable });
    }
  }

  override get name(): string {
    return "HawserError";
  }

  /** Status for a server that passes the error on to its client, from `ERROR_CODES`. */
  get httpStatus(): number {
    return ERROR_CODES[this.code].httpStatus;
  }

  /** Returns a copy of the error in which `facts` fill in what the error does not have. */
  withMissing(facts: ErrorFacts, mask?: Mask): HawserError {
    return this.#copy({ ...facts, ...this.#facts() }, mask);
  }

  /** Returns a copy of the error in which `facts` replace its own. */
  withFacts(facts: ErrorFacts): HawserError {
    return this.#copy({ ...this.#facts(), ...facts });
  }

  #facts(): ErrorFacts {
    const { cause, lastMessage, result } = this;
    const { code: _, ...facts } = { ...this, cause, lastMessage, result };
    return omitUndefined(facts) as ErrorFacts;
  }

  #copy(facts: ErrorFacts, mask?: Mask): HawserError {
    const copy = new HawserError(this.code, this.message, facts, mask);
    if (this.stack !== undefined) copy.stack = this.stack;
    const own = ownStacks.get(this);
    if (own !== undefined) ownStacks.set(copy, own);
    return copy;
  }

  /** The error as data for `JSON.stringify()`, with its message and its cause. */
  toJSON(): Record<string, unknown> {
    const { lastMessage, result } = this;
    return { ...plainError(this), ...omitUndefined({ lastMessage, result }) };
  }

  static {
    Object.defineProperty(HawserError.prototype, BRAND, { value: true });
  }
}

/**
 * Whether `error` is a `HawserError` and, if `code` is given, has that code. Unlike `instanceof`,
 * it also knows errors of another installed copy of hawser.
 *
 * @example
 * ```ts
 * if (isHawserError(error, "timeout")) console.log(error.phase);
 * ```
 */
export function isHawserError<C extends ErrorCode = ErrorCode>(
  error: unknown,
  code?: C,
): error is HawserError & { readonly code: C } {
  if (typeof error !== "object" || error === null || !(BRAND in error)) return false;
  return code === undefined || (error as { code?: unknown }).code === code;
}

/** An error as data. JSON.stringify() alone drops the message, the name and the cause. */
function plainError(error: Error): Record<string, unknown> {
  const { name, message, cause } = error;
  const facts = { name, message, ...(cause === undefined ? {} : { cause }) };
  const entries = Object.entries(Object.assign({}, facts, error));
  return Object.fromEntries(
    entries.map(([key, value]) => [key, value instanceof Error ? plainError(value) : value]),
  );
}
