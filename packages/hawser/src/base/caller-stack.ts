import { HawserError } from "./error.js";

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
  const holder = { stack: "" };
  Error.captureStackTrace?.(holder, above);
  // Read now: until its text is read, a stack keeps every object alive that it passed through.
  const { stack } = holder;
  return stack.slice(stack.indexOf("\n    at ") + 1);
}

/**
 * The error with the frames of the program at the end of its stack. Several calls may fail by one error:
 * the first call gets that error, and each further one a copy, because each has frames of its own.
 */
export function withCaller<E>(error: E, caller: string | undefined): E {
  if (!(error instanceof Error) || error.stack === undefined || !caller) return error;
  const own = ownStacks.get(error);
  const result = own !== undefined && error instanceof HawserError ? error.withFacts({}) : error;
  const stack = own ?? error.stack;
  ownStacks.set(result, stack);
  // An error that was made during the call holds some of the frames already, or all of them.
  const held = new Set(stack.split("\n"));
  const missing = caller.split("\n").filter((frame) => !held.has(frame));
  result.stack = [stack, ...missing].join("\n");
  return result as E;
}

/** The stacks of errors before they got the frames of a caller. */
const ownStacks = new WeakMap<Error, string>();
