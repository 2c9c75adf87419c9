import { z } from "zod";
import type { FileInput } from "../media-blocks.js";

/** An item of a conversation in the Responses format, as far as the gateway reads it. */
export type ResponseItem =
  | MessageItem
  | FunctionCallItem
  | CustomToolCallItem
  | ToolOutputItem
  | ReasoningItem;

/** A message of any role, of the client or of the model. */
export interface MessageItem {
  readonly type: "message";
  readonly id?: string | null | undefined;
  readonly role: "user" | "assistant" | "system" | "developer";
  readonly content: string | readonly MessagePart[];
}

export type MessagePart = InputPart | { readonly type: "refusal"; readonly refusal: string };

/** A part of the input. `output_text` is what the model said earlier. */
export type InputPart =
  | { readonly type: "input_text" | "output_text" | "text"; readonly text: string }
  | {
      readonly type: "input_image";
      readonly image_url?: string | null | undefined;
      readonly file_id?: string | null | undefined;
      readonly detail?: string | null | undefined;
    }
  | (FileInput & { readonly type: "input_file"; readonly file_url?: string | null | undefined })
  | { readonly type: "input_audio" };

export interface FunctionCallItem {
  readonly type: "function_call";
  readonly id?: string | null | undefined;
  readonly call_id: string;
  readonly name: string;
  /** The group of tools to which the function belongs. */
  readonly namespace?: string | null | undefined;
  readonly arguments: string;
}

export interface CustomToolCallItem {
  readonly type: "custom_tool_call";
  readonly id?: string | null | undefined;
  readonly call_id: string;
  readonly name: string;
  readonly namespace?: string | null | undefined;
  readonly input: string;
}

export interface ToolOutputItem {
  readonly type: "function_call_output" | "custom_tool_call_output";
  readonly id?: string | null | undefined;
  readonly call_id: string;
  readonly output: string | readonly InputPart[];
}

/** The model's thinking. `encrypted_content` is what the model needs to read it again. */
export interface ReasoningItem {
  readonly type: "reasoning";
  readonly id?: string | null | undefined;
  readonly encrypted_content?: string | null | undefined;
}

/** Stands for an item of a stored response. */
export interface ItemReference {
  readonly type: "item_reference";
  readonly id: string;
}

export type InputItem = ResponseItem | ItemReference;

const id = z.string().nullish();
const nullableText = z.string().nullish();

const inputPart = [
  z.looseObject({ type: z.enum(["input_text", "output_text", "text"]), text: z.string() }),
  z.looseObject({
    type: z.literal("input_image"),
    image_url: nullableText,
    file_id: nullableText,
    detail: nullableText,
  }),
  z.looseObject({
    type: z.literal("input_file"),
    file_data: nullableText,
    file_id: nullableText,
    file_url: nullableText,
    filename: nullableText,
  }),
  z.looseObject({ type: z.literal("input_audio") }),
] as const;

const refusal = z.looseObject({ type: z.literal("refusal"), refusal: z.string() });
const output = z.union([z.string(), z.array(z.discriminatedUnion("type", inputPart))]);

const item = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("message"),
    id,
    role: z.enum(["user", "assistant", "system", "developer"]),
    content: z.union([z.string(), z.array(z.discriminatedUnion("type", [...inputPart, refusal]))]),
  }),
  z.looseObject({
    type: z.literal("function_call"),
    id,
    call_id: z.string().min(1),
    name: z.string().min(1),
    namespace: nullableText,
    arguments: z.string(),
  }),
  z.looseObject({
    type: z.literal("custom_tool_call"),
    id,
    call_id: z.string().min(1),
    name: z.string().min(1),
    namespace: nullableText,
    input: z.string(),
  }),
  z.looseObject({
    type: z.enum(["function_call_output", "custom_tool_call_output"]),
    id,
    call_id: z.string().min(1),
    output,
  }),
  z.looseObject({ type: z.literal("reasoning"), id, encrypted_content: nullableText }),
  z.looseObject({ type: z.literal("item_reference"), id: z.string().min(1) }),
]);

/** An item of `input`. Without a `type` it is a message, or a reference if it has nothing but an id. */
export const inputItem: z.ZodType<InputItem> = z.preprocess(withType, item);

function withType(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { type, ...fields } = value as { type?: unknown };
  if (type !== undefined && type !== null) return value;
  return { ...fields, type: "role" in fields ? "message" : "item_reference" };
}
