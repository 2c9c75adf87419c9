// Code as people write it for calls, sessions and pools, without a cast.
import { z } from "zod";
import {
  type AnyCompleteOptions,
  type CompleteOptions,
  complete,
  createPool,
  type Message,
  type Options,
  openSession,
  type Prompt,
  type StandardSchema,
  stream,
} from "../../src/index.js";

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

const schema = z.object({ year: z.string().transform(Number) });
type Year = { year: number };

declare const maybe: boolean;
declare const plain: CompleteOptions;
declare const open: AnyCompleteOptions;
declare const all: Options;
declare const optional: { readonly schema?: typeof schema };

export async function values(): Promise<void> {
  const pool = createPool();
  same<undefined>()(await complete("x"), true);
  same<undefined>()(await complete("x", { model: "opus" }), true);
  same<undefined>()(await complete("x", plain), true);
  same<undefined>()(await complete("x", { ...plain, schema: undefined }), true);
  same<Year>()(await complete("x", { ...plain, schema }), true);
  same<Year>()(await complete("x", { ...all, schema }), true);
  same<Year>()(await stream("x", { schema }).completion, true);
  same<Year | undefined>()(await complete("x", { schema, clientTools: [] }), true);
  same<Year>()(await pool.complete("x", { schema }), true);
  same<Year>()(await pool.stream("x", { schema }).completion, true);
  same<unknown>()(await complete("x", { schema: { type: "object" } }), true);
  const outputFormat = { type: "json_schema", schema: {} } as const;
  same<unknown>()(await complete("x", { outputFormat }), true);
  same<unknown>()(await complete("x", open), true);
  same<unknown>()(await complete("x", all), true);
  // A schema that may be missing gives a value that may be missing.
  same<Year | undefined>()(await complete("x", { schema: maybe ? schema : undefined }), true);
  same<Year | undefined>()(await complete("x", optional), true);
  same<Year | undefined>()(await complete("x", maybe ? { schema } : {}), true);
}

function same<Expected>() {
  return <Value>(_: { readonly value: Value }, __: Same<Value, Expected>): void => {};
}

// Callbacks know the types of their parameters, with a schema too.
export const guarded = (): Promise<{ readonly value: Year }> =>
  complete("x", {
    schema,
    canUseTool: (name, input) =>
      name.startsWith("mcp__")
        ? { behavior: "deny", message: name.toLowerCase() }
        : { behavior: "allow", updatedInput: input },
    hooks: { PreToolUse: [{ hooks: [(input) => void input.tool_name.length] }] },
  });

// A wrapper keeps the type of the schema's output, and the functions of a pool fit where `complete` does.
export async function ask<S extends StandardSchema>(given: S): Promise<string> {
  const { value, text } = await complete("x", { schema: given });
  return value === undefined ? text : JSON.stringify(value);
}
const pool = createPool();
export const asked: typeof complete = pool.complete.bind(pool);
export const streamed: typeof stream = pool.stream.bind(pool);

// Messages of a session, a turn and a stream narrow by `type` and `subtype`, and blocks by `type`.
export async function read(): Promise<void> {
  const session = await openSession();
  for await (const message of session) show(message);
  for await (const message of session.send("x")) show(message);
  for await (const message of stream("x")) show(message);
}

function show(message: Message): void {
  if (message.type === "assistant") {
    for (const block of message.message.content) {
      if (block.type === "text") print(block.text.trim());
      else if (block.type === "tool_use") print(block.name.length, block.input);
      else if (block.type === "thinking") print(block.thinking.length);
    }
  }
  switch (message.type) {
    case "result":
      print(message.subtype, message.num_turns.toFixed());
      return;
    case "system":
      if (message.subtype === "init") print(message.model.length, message.tools.join());
      else if (message.subtype === "compact_boundary") print(message.compact_metadata);
      return;
    case "stream_event":
      if (message.event.type !== "content_block_delta") return;
      if (message.event.delta.type === "text_delta") print(message.event.delta.text.length);
      return;
    case "hawser":
      if (message.subtype === "recovered") print(message.subtype);
      return;
    default: {
      // A newer CLI sends types that are not known here: they are strings, and their fields unknown.
      const type: string | undefined = message.type;
      if (type === "brand_new") print(Reflect.get(message, "news"));
    }
  }
}

// A prompt may hold a kind of block that is not known here.
export const prompt: Prompt = [
  { type: "text", text: "Summarize this." },
  { type: "search_result", source: "https://localhost", title: "A page", content: [] },
];

declare function print(...values: unknown[]): void;
