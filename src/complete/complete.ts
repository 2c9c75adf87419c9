import type { JsonSchema, Options, OutputFormat, StandardSchema } from "../options/index.js";
import { FRESH } from "../session/index.js";
import type { Prompt } from "../wire/index.js";
import { Call } from "./call.js";
import type { Completion } from "./completion.js";
import { CallStream, type CompletionStream } from "./stream.js";

/** All options but those that ask for a value; with these, the completion has one. */
export type CompleteOptions = Omit<Options, "schema" | "outputFormat">;

type Typed<T> = CompleteOptions & { readonly schema: StandardSchema<T> };
type Plain = CompleteOptions &
  ({ readonly schema: JsonSchema } | { readonly outputFormat: OutputFormat });

/**
 * One prompt, one answer. Lean and isolated unless options say otherwise: no tools, no settings
 * files, no session on disk. Resolves only if the CLI answered; every failure is a `HawserError`
 * whose code says what happened, thrown when its process is gone.
 */
export function complete<T>(prompt: Prompt, options: Typed<T>): Promise<Completion<T>>;
export function complete(prompt: Prompt, options: Plain): Promise<Completion<unknown>>;
export function complete(prompt: Prompt, options?: CompleteOptions): Promise<Completion>;
export function complete(prompt: Prompt, options: Options = {}): Promise<Completion<unknown>> {
  return new Call("complete()", prompt, options, FRESH).outcome;
}

/** The same call, to be watched as it goes on. Nothing is thrown here: the stream tells. */
export function stream<T>(prompt: Prompt, options: Typed<T>): CompletionStream<T>;
export function stream(prompt: Prompt, options: Plain): CompletionStream<unknown>;
export function stream(prompt: Prompt, options?: CompleteOptions): CompletionStream;
export function stream(prompt: Prompt, options: Options = {}): CompletionStream<unknown> {
  return new CallStream(prompt, options);
}
