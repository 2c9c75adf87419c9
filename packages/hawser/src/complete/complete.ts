import { callerStack } from "../base/index.js";
import type { Options, StandardSchema } from "../options/index.js";
import type { Prompt } from "../wire/index.js";
import { Call } from "./call.js";
import type { Completion } from "./completion.js";
import { CallStream, type CompletionStream } from "./completion-stream.js";

/** The options of a call without a schema. A call has `retry` and `autoResume` instead of `recover`. */
export type CompleteOptions = Omit<Options, "schema" | "outputFormat" | "recover">;

/** The options of a call with or without a schema, for options that are built at run time. */
export type AnyCompleteOptions = Omit<Options, "recover">;

type WithoutValue = CompleteOptions & {
  readonly schema?: undefined;
  readonly outputFormat?: undefined;
};
type WithSchema<S> = CompleteOptions & { readonly schema: S };
type OutputOf<S> = S extends StandardSchema<infer Output> ? Output : never;

/**
 * Sends one prompt and resolves with one answer. By default the call is lean and isolated: no tools, no
 * settings files, no session on disk. Resolves only if the CLI answered. Every failure is a `HawserError`
 * whose code says what happened; it is thrown after the process has exited.
 */
export function complete(prompt: Prompt, options?: WithoutValue): Promise<Completion>;
/** Sends one prompt and resolves with an answer that fits a schema: `value` is typed and checked. */
export function complete<S extends StandardSchema>(
  prompt: Prompt,
  options: WithSchema<S>,
): Promise<Completion<OutputOf<S>>>;
export function complete(
  prompt: Prompt,
  options?: AnyCompleteOptions,
): Promise<Completion<unknown>>;
export function complete(prompt: Prompt, options: Options = {}): Promise<Completion<unknown>> {
  return new Call({ caller: "complete()", stack: callerStack(), prompt, options }).outcome;
}

/** Like `complete()`, but returns at once with a stream of the messages. The stream reports all errors. */
export function stream(prompt: Prompt, options?: WithoutValue): CompletionStream;
export function stream<S extends StandardSchema>(
  prompt: Prompt,
  options: WithSchema<S>,
): CompletionStream<OutputOf<S>>;
export function stream(prompt: Prompt, options?: AnyCompleteOptions): CompletionStream<unknown>;
export function stream(prompt: Prompt, options: Options = {}): CompletionStream<unknown> {
  return new CallStream({ caller: "stream()", stack: callerStack(), prompt, options });
}
