/**
 * One of the known words or any other text, because newer CLIs use words that hawser does not know.
 */
export type Open<Known extends string> = Known | (string & Record<never, never>);

/** A JSON object whose fields are not described. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The fields that nearly every message of the CLI has. */
export interface Stamped {
  readonly uuid: string;
  readonly session_id: string;
}
