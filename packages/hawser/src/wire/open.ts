/**
 * One of the known words or any other text, because newer CLIs use words that hawser does not know.
 */
export type Open<Known extends string> = Known | (string & Record<never, never>);

/**
 * A `type` or `subtype` that this version of the library does not know, for example of a newer CLI. It is
 * an ordinary string at run time. In TypeScript no literal has this type, so that a comparison with a known
 * word, such as `message.type === "assistant"`, narrows to the message of that type. To compare with a word
 * that is not known here, widen it first: `const type: string | undefined = message.type`.
 */
// The template keeps a literal from being comparable: with `string & { … }` alone TypeScript 6.0 does not
// narrow.
export type UnknownWord = `unknown word ${string}` & { readonly isUnknownWord: true };

/** A JSON object whose fields are not described here. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The fields that nearly every message of the CLI has. */
export interface Stamped {
  readonly uuid: string;
  readonly session_id: string;
}
