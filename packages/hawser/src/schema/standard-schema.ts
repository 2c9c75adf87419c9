/** A JSON Schema, as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The part of the Standard Schema interface that hawser uses. zod, valibot and arktype implement
 * it.
 */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    /** Checks a value. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    /** Standard JSON Schema: a newer part of the interface, which not every schema has. */
    readonly jsonSchema?:
      | {
          /** Returns the JSON Schema of the input. */
          readonly input: (options: { readonly target: "draft-07" }) => JsonSchema;
        }
      | undefined;
  };
}

/** Whether a value implements Standard Schema. The schemas of arktype are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  const canHold = typeof value === "object" || typeof value === "function";
  return canHold && value !== null && "~standard" in value;
}

/** The result of a Standard Schema: the parsed value, or the problems. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One problem that a schema found. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
