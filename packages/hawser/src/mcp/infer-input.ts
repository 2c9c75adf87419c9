import type { JsonSchema, StandardSchema } from "../options/index.js";

/** A tool's arguments, each by a Standard Schema of its own: `{ a: z.number() }`. */
export type AnyZodRawShape = Readonly<Record<string, StandardSchema>>;

/** What describes a tool's input: its arguments one by one, one schema of all, or JSON Schema. */
export type ToolInputSchema = AnyZodRawShape | StandardSchema | JsonSchema;

/** The arguments that a handler gets, after defaults and transforms. */
export type InferShape<Shape extends AnyZodRawShape> = Simplify<
  { [K in RequiredKeys<Shape>]: InferOutput<Shape[K]> } & {
    [K in Exclude<keyof Shape, RequiredKeys<Shape>>]?: InferOutput<Shape[K]>;
  }
>;

/** The same for each way to describe the input; JSON Schema says nothing to the compiler. */
export type InferInput<Schema extends ToolInputSchema> = Schema extends StandardSchema
  ? InferOutput<Schema>
  : Schema extends AnyZodRawShape
    ? InferShape<Schema>
    : Record<string, unknown>;

/** zod names its output type directly, which is cheaper to infer from and older than the standard. */
type InferOutput<Schema> = Schema extends { readonly _output: infer Output }
  ? Output
  : Schema extends StandardSchema
    ? NonNullable<Schema["~standard"]["types"]>["output"]
    : never;

type RequiredKeys<Shape> = {
  [K in keyof Shape]: IsOptional<InferOutput<Shape[K]>> extends true ? never : K;
}[keyof Shape];

/** `unknown` and `any` include undefined, and are still not optional. */
type IsOptional<Output> = unknown extends Output ? false : undefined extends Output ? true : false;

type Simplify<T> = { [K in keyof T]: T[K] } & {};
