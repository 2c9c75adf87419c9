import type { JsonSchema, StandardSchema } from "../schema/index.js";

/** A tool's arguments, each by a Standard Schema of its own: `{ a: z.number() }`. */
export type AnyZodRawShape = Readonly<Record<string, StandardSchema>>;

/**
 * The description of a tool's input: a schema for each argument, one schema for all, or JSON
 * Schema.
 */
export type ToolInputSchema = AnyZodRawShape | StandardSchema | JsonSchema;

/** The arguments that a handler gets, after defaults and transforms. */
export type InferShape<Shape extends AnyZodRawShape> = Simplify<
  { [K in RequiredKeys<Shape>]: InferOutput<Shape[K]> } & {
    [K in Exclude<keyof Shape, RequiredKeys<Shape>>]?: InferOutput<Shape[K]>;
  }
>;

/** The arguments for each form of `ToolInputSchema`. JSON Schema gives the compiler no types. */
export type InferInput<Schema extends ToolInputSchema> = Schema extends StandardSchema
  ? InferOutput<Schema>
  : Schema extends AnyZodRawShape
    ? InferShape<Schema>
    : Record<string, unknown>;

/**
 * zod has a field for its output type. It is cheaper to infer from, and older than the standard.
 */
type InferOutput<Schema> = Schema extends { readonly _output: infer Output }
  ? Output
  : Schema extends StandardSchema
    ? NonNullable<Schema["~standard"]["types"]>["output"]
    : never;

type RequiredKeys<Shape> = {
  [K in keyof Shape]: IsOptional<InferOutput<Shape[K]>> extends true ? never : K;
}[keyof Shape];

/** `unknown` and `any` include undefined, but do not make an argument optional. */
type IsOptional<Output> = unknown extends Output ? false : undefined extends Output ? true : false;

type Simplify<T> = { [K in keyof T]: T[K] } & {};
