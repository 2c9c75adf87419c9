import { deferredCallerStack } from "../base/index.js";
import type { Options, StandardSchema } from "../options/index.js";
import type { Prompt } from "../wire/index.js";
import { Call } from "./call.js";
import type { Completion } from "./completion.js";
import { CallStream, type CompletionStream } from "./completion-stream.js";

/**
 * The options of a call without a schema: all options except `schema`, `outputFormat` and `recover`. To survive
 * the death of its process, a call has `retry` and `autoResume` instead of `recover`.
 */
export type CompleteOptions = Omit<
  Options,
  "schema" | "outputFormat" | "recover" | "renewWithinMs"
>;

/** The options of a call, with or without a schema. Use this type for options that are built at run time. */
export type AnyCompleteOptions = Omit<Options, "recover" | "renewWithinMs">;

/**
 * The type of `value` for these options: the output of a Standard Schema, unknown for a JSON Schema, and
 * undefined without a schema. With `clientTools` it may also be undefined, because the model may call a tool.
 */
export type ValueOf<O> = O extends unknown
  ?
      | ValueBy<Property<O, "schema">, Property<O, "outputFormat">>
      | (undefined extends Property<O, "clientTools"> ? never : undefined)
  : never;

type ValueBy<Schema, Format> =
  Schema extends StandardSchema<infer Output>
    ? Output
    : Schema extends undefined
      ? Format extends undefined
        ? undefined
        : unknown
      : unknown;

type Property<O, Name extends string> = Name extends keyof O ? Present<O[Name]> : undefined;

/** With exact optional properties, `{ schema?: never }` has no type for the missing schema. */
type Present<T> = [T] extends [never] ? undefined : T;

/**
 * The options of a call: `AnyCompleteOptions`. TypeScript infers `O` from the options as they are written, and
 * `ValueOf` reads the schema from it.
 */
// With `O` itself as the type, every name would be allowed. With an overload for each kind of schema,
// TypeScript would report a misspelt option once for each overload.
export type CallOptions<O> = [O] extends [never] ? O : AnyCompleteOptions;

/**
 * Sends one prompt and resolves with one answer. By default the call is lean and isolated: no tools, no
 * settings files, no session on disk. With a `schema`, `value` of the answer is checked and typed. With a
 * `history`, the model gets earlier messages before the prompt, and the prompt may be `undefined` if the last
 * of them is of the user.
 *
 * Resolves only if the CLI answered. Every failure is a `HawserError` whose `code` says what happened; it is
 * thrown after the process has exited.
 *
 * @example
 * ```ts
 * import { complete } from "hawser";
 *
 * const { text, costUsd } = await complete("Name three knots.", { model: "haiku" });
 * ```
 *
 * @example A checked and typed value
 * ```ts
 * import { complete } from "hawser";
 * import { z } from "zod";
 *
 * const schema = z.object({ knots: z.array(z.string()) });
 * const { value } = await complete("Name three knots.", { schema });
 * console.log(value.knots);
 * ```
 */
export function complete<O = object>(
  prompt: Prompt | undefined,
  options?: CallOptions<O>,
): Promise<Completion<ValueOf<O>>>;
export function complete(
  prompt: Prompt | undefined,
  options: Options = {},
): Promise<Completion<unknown>> {
  return new Call({ caller: "complete()", stack: deferredCallerStack(), prompt, options }).outcome;
}

/**
 * Like `complete()`, but returns at once with a stream of the messages. The stream reports all errors, also of
 * wrong options.
 *
 * @example
 * ```ts
 * import { stream } from "hawser";
 *
 * const call = stream("Tell me about the bowline.");
 * for await (const piece of call.textStream) process.stdout.write(piece);
 * const { costUsd } = await call.completion;
 * ```
 */
export function stream<O = object>(
  prompt: Prompt | undefined,
  options?: CallOptions<O>,
): CompletionStream<ValueOf<O>>;
export function stream(
  prompt: Prompt | undefined,
  options: Options = {},
): CompletionStream<unknown> {
  return new CallStream({ caller: "stream()", stack: deferredCallerStack(), prompt, options });
}
