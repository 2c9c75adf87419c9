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
  // Read now: until its text is read, a stack keeps every object alive that it passed through. The
  // text may be anything if the program has replaced Error.prepareStackTrace.
  const stack: unknown = holder.stack;
  return typeof stack === "string" ? (/\n(\s+at [\s\S]*)$/.exec(stack)?.[1] ?? "") : "";
}

/**
 * The error with the frames of the program at the end of its stack. Several calls may fail by one error:
 * the first call gets that error, and each further one a copy, because each has frames of its own.
 */
export function withCaller<E>(error: E, caller: string | undefined): E {
  if (!(error instanceof Error) || typeof error.stack !== "string" || !caller) return error;
  const own = ownStacks.get(error) ?? error.stack;
  const stack = joinFrames(own, caller);
  if (stack === error.stack) return error;
  const isShared = error.stack !== own;
  const result = isShared && error instanceof HawserError ? error.withFacts({}) : error;
  // The error may come from a callback of the program, and may be frozen.
  if (Reflect.set(result, "stack", stack)) ownStacks.set(result, own);
  return result as E;
}

/** An error that was made during the call holds the first frames of the caller already, or all of them. */
function joinFrames(stack: string, caller: string): string {
  const held = new Set(stack.split("\n"));
  const frames = caller.split("\n");
  const from = frames.findLastIndex((frame) => held.has(frame)) + 1;
  return [stack, ...frames.slice(from)].join("\n");
}

/** The stacks of errors before they got the frames of a caller. */
const ownStacks = new WeakMap<Error, string>();
