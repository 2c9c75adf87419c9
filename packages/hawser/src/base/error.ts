import { ERROR_CODES, type ErrorCode } from "./error-codes.js";
import { hostMask, type Mask, maskDeep } from "./mask.js";
import { omitUndefined } from "./omit-undefined.js";

/** Global, so that errors of any installed copy of hawser are known as such. */
const BRAND = Symbol.for("hawser.error");

/** Facts that would fill a screen: they are properties, and serialised, but console.log() skips them. */
const WHOLE_MESSAGES: readonly string[] = ["lastMessage", "result"];

/** The part of a call whose time limit was reached. */
export type Phase =
  | "boot"
  | "firstMessage"
  | "idle"
  | "total"
  | "control"
  | "reset"
  | "close"
  | "probe";

/** One thing that is wrong with the input or the answer. */
export interface Issue {
  readonly path?: string;
  readonly message: string;
}

/** What is known about a failure beside its code; a fact that is not known is absent. */
export interface ErrorFacts {
  readonly hint?: string;
  readonly retryable?: boolean;
  readonly cause?: unknown;
  readonly cliPath?: string;
  readonly cliVersion?: string;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly stderrTail?: string;
  readonly sessionId?: string;
  /** Whether `resume: sessionId` can go on from here. */
  readonly resumable?: boolean;
  readonly phase?: Phase;
  readonly apiStatus?: number;
  readonly retryAfterMs?: number;
  readonly resetsAt?: Date;
  readonly issues?: readonly Issue[];
  /** Where the CLI was searched, for `cli_not_found`; no place is listed twice. */
  readonly tried?: readonly string[];
  /** What the caller gave as the reason of an abort, or the CLI as the reason of a stop. */
  readonly reason?: unknown;
  readonly lastMessage?: unknown;
  readonly partialText?: string;
  /** The raw `result` line, if the CLI sent one. */
  readonly result?: unknown;
}

/**
 * The only class of error that hawser throws. `code` is stable; `message` and `hint` are for people.
 * It holds no secret: whatever it is made of is masked first, so nothing that prints it can leak one.
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

  /** `mask` knows the secrets of the process that the error is about. */
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

  /** For a server that passes the failure on: the status that ERROR_CODES has for the code. */
  get httpStatus(): number {
    return ERROR_CODES[this.code].httpStatus;
  }

  /** The same error with the facts that it lacks, from a layer that knows more about the call. */
  withMissing(facts: ErrorFacts, mask?: Mask): HawserError {
    return this.#copy({ ...facts, ...this.#facts() }, mask);
  }

  /** The same error with these facts in place of its own. */
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
    return copy;
  }

  toJSON(): Record<string, unknown> {
    const { lastMessage, result } = this;
    return { ...plainError(this), ...omitUndefined({ lastMessage, result }) };
  }

  static {
    Object.defineProperty(HawserError.prototype, BRAND, { value: true });
  }
}

/** Whether `error` comes from hawser, from this copy or another, and (if given) has this code. */
export function isHawserError<C extends ErrorCode = ErrorCode>(
  error: unknown,
  code?: C,
): error is HawserError & { readonly code: C } {
  if (typeof error !== "object" || error === null || !(BRAND in error)) return false;
  return code === undefined || (error as { code?: unknown }).code === code;
}

/** An error as data: JSON.stringify alone drops the message, the name and the cause. */
function plainError(error: Error): Record<string, unknown> {
  const { name, message, cause } = error;
  const facts = { name, message, ...(cause === undefined ? {} : { cause }) };
  const entries = Object.entries(Object.assign({}, facts, error));
  return Object.fromEntries(
    entries.map(([key, value]) => [key, value instanceof Error ? plainError(value) : value]),
  );
}
