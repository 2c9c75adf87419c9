import type { Options, StandardSchema } from "../options/index.js";
import type { Prompt } from "../wire/index.js";
import { Call } from "./call.js";
import type { Completion } from "./completion.js";
import { CallStream, type CompletionStream } from "./stream.js";

/** All options but those that ask for a value; with one of these, the completion has it. */
export type CompleteOptions = Omit<Options, "schema" | "outputFormat" | "recover">;

/** The same with them, for options that are put together at runtime. */
export type AnyCompleteOptions = Omit<Options, "recover">;

type WithoutValue = CompleteOptions & {
  readonly schema?: undefined;
  readonly outputFormat?: undefined;
};
type WithSchema<S> = CompleteOptions & { readonly schema: S };
type OutputOf<S> = S extends StandardSchema<infer Output> ? Output : never;

/**
 * One prompt, one answer. Lean and isolated unless options say otherwise: no tools, no settings
 * files, no session on disk. Resolves only if the CLI answered; every failure is a `HawserError`
 * whose code says what happened, thrown when its process is gone.
 */
export function complete(prompt: Prompt, options?: WithoutValue): Promise<Completion>;
/** The same with an answer that fits a schema: `value` is typed and checked. */
export function complete<S extends StandardSchema>(
  prompt: Prompt,
  options: WithSchema<S>,
): Promise<Completion<OutputOf<S>>>;
export function complete(
  prompt: Prompt,
  options?: AnyCompleteOptions,
): Promise<Completion<unknown>>;
export function complete(prompt: Prompt, options: Options = {}): Promise<Completion<unknown>> {
  return new Call({ caller: "complete()", prompt, options }).outcome;
}

/** The same call, to be watched as it goes on. Nothing is thrown here: the stream tells. */
export function stream(prompt: Prompt, options?: WithoutValue): CompletionStream;
export function stream<S extends StandardSchema>(
  prompt: Prompt,
  options: WithSchema<S>,
): CompletionStream<OutputOf<S>>;
export function stream(prompt: Prompt, options?: AnyCompleteOptions): CompletionStream<unknown>;
export function stream(prompt: Prompt, options: Options = {}): CompletionStream<unknown> {
  return new CallStream({ caller: "stream()", prompt, options });
}
