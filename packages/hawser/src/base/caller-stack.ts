import { HawserError, ownStacks } from "./error.js";

/**
 * The promise, whose error then has the program's line in its stack. For the promises of public functions:
 * an error that comes from a process or a timer has no frame of the program in its own stack.
 */
export function traceCaller<T>(promise: Promise<T>): Promise<T> {
  const caller = callerStack(traceCaller);
  return promise.catch((error: unknown) => {
    throw withCaller(error, caller);
  });
}

/** The stack of the function that calls `above`: a public function and the program that called it. */
export function callerStack(above: (...args: never[]) => unknown = callerStack): string {
  // Read now: until its text is read, a stack keeps every object alive that it passed through.
  return framesOf(captureStack(above));
}

/**
 * Like `callerStack()`, but the text is made in the next turn of the event loop, so that a call sends its prompt to
 * a warm process first.
 */
export function deferredCallerStack(): () => string {
  const captured = captureStack(deferredCallerStack);
  let text: string | undefined;
  const read = () => {
    text ??= framesOf(captured);
    return text;
  };
  setImmediate(read);
  return read;
}

interface CapturedStack {
  readonly stack?: unknown;
}

function captureStack(above: (...args: never[]) => unknown): CapturedStack {
  const captured = {};
  Error.captureStackTrace?.(captured, above);
  return captured;
}

/** The text may be anything, because the program may have replaced Error.prepareStackTrace. */
function framesOf(captured: CapturedStack): string {
  try {
    const { stack } = captured;
    return typeof stack === "string" ? (/\n(\s+at [\s\S]*)$/.exec(stack)?.[1] ?? "") : "";
  } catch {
    return ""; // Error.prepareStackTrace of the program threw.
  }
}

/**
 * The error with the frames of the program at the end of its stack. Several calls may fail by one error:
 * the first call gets that error, and each further one a copy, because each has frames of its own.
 */
export function withCaller<E>(error: E, caller: string | undefined): E {
  if (!isOurs(error) || typeof error.stack !== "string" || !caller) return error;
  const own = ownStacks.get(error) ?? error.stack;
  const stack = joinFrames(own, caller);
  if (stack === error.stack) return error;
  const isShared = error.stack !== own;
  const result = isShared && error instanceof HawserError ? error.withFacts({}) : error;
  // The program may have frozen the error.
  if (Reflect.set(result, "stack", stack)) ownStacks.set(result, own);
  return result as Error & E;
}

/** Any other error comes from the program, for example from its callback, and has a stack of its own. */
function isOurs(error: unknown): error is Error {
  // `query()` throws the official SDK's AbortError.
  return error instanceof HawserError || (error instanceof Error && error.name === "AbortError");
}

/**
 * An error that was made during the call holds the first frames of the caller already, or all of them.
 * Frames of Node, such as those of its timers, are the same in stacks that have nothing in common.
 */
function joinFrames(stack: string, caller: string): string {
  const held = new Set(stack.split("\n"));
  const frames = caller.split("\n");
  const from = frames.findLastIndex((frame) => held.has(frame) && !OF_NODE.test(frame)) + 1;
  return [stack, ...frames.slice(from)].join("\n");
}

const OF_NODE = /\(node:|at node:|<anonymous>|\(index \d+\)/;
