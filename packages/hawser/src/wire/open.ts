/** One of the known words, or any other: newer CLIs use words that are not known here. */
export type Open<Known extends string> = Known | (string & Record<never, never>);

/** A JSON object whose fields are not described here. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Carried by nearly every line of the CLI. */
export interface Stamped {
  readonly uuid: string;
  readonly session_id: string;
}
