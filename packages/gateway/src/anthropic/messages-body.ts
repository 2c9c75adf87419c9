import { z } from "zod";

/** A block of a message. Fields that are not listed are kept, because some are passed on. */
const text = z.looseObject({ type: z.literal("text"), text: z.string() });

const base64Source = z.looseObject({
  type: z.literal("base64"),
  media_type: z.string(),
  data: z.string().min(1),
});
const urlSource = z.looseObject({ type: z.literal("url"), url: z.string() });
const fileSource = z.looseObject({ type: z.literal("file"), file_id: z.string() });

const image = z.looseObject({
  type: z.literal("image"),
  source: z.discriminatedUnion("type", [base64Source, urlSource, fileSource]),
});

const textSource = z.looseObject({
  type: z.literal("text"),
  media_type: z.literal("text/plain").optional(),
  data: z.string(),
});
const contentSource = z.looseObject({
  type: z.literal("content"),
  content: z.union([z.string(), z.array(z.discriminatedUnion("type", [text, image]))]),
});

const document = z.looseObject({
  type: z.literal("document"),
  source: z.discriminatedUnion("type", [
    base64Source,
    urlSource,
    fileSource,
    textSource,
    contentSource,
  ]),
  title: z.string().nullish(),
  context: z.string().nullish(),
});

/** A tool that the client has found by search, and whose definition is in `tools`. */
const toolReference = z.looseObject({ type: z.literal("tool_reference"), tool_name: z.string() });

const toolResult = z.looseObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z
    .union([
      z.string(),
      z.array(z.discriminatedUnion("type", [text, image, document, toolReference])),
    ])
    .optional(),
  is_error: z.boolean().nullish(),
});

const thinking = z.looseObject({
  type: z.literal("thinking"),
  thinking: z.string(),
  signature: z.string(),
});
const redactedThinking = z.looseObject({ type: z.literal("redacted_thinking"), data: z.string() });
const toolUse = z.looseObject({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});

const userBlock = z.discriminatedUnion("type", [text, image, document, toolResult]);
const assistantBlock = z.discriminatedUnion("type", [text, thinking, redactedThinking, toolUse]);

const message = z.discriminatedUnion("role", [
  z.looseObject({
    role: z.literal("user"),
    content: z.union([z.string(), z.array(userBlock)]),
  }),
  z.looseObject({
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(assistantBlock)]),
  }),
  // The newest models take instructions in the middle of a conversation.
  z.looseObject({
    role: z.literal("system"),
    content: z.union([z.string(), z.array(text)]),
  }),
]);

const tool = z.looseObject({
  type: z.string().nullish(),
  name: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, underscores or hyphens"),
  description: z.string().nullish(),
  input_schema: z.looseObject({ type: z.literal("object") }).optional(),
});

const toolChoice = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("auto"), disable_parallel_tool_use: z.boolean().optional() }),
  z.looseObject({ type: z.literal("any"), disable_parallel_tool_use: z.boolean().optional() }),
  z.looseObject({
    type: z.literal("tool"),
    name: z.string(),
    disable_parallel_tool_use: z.boolean().optional(),
  }),
  z.looseObject({ type: z.literal("none") }),
]);

const display = z.enum(["summarized", "omitted"]).optional().catch(undefined);

const thinkingConfig = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("enabled"),
    budget_tokens: z.int().min(1024, "must be at least 1024"),
    display,
  }),
  z.looseObject({ type: z.literal("adaptive"), display }),
  z.looseObject({ type: z.literal("disabled") }),
]);

const jsonFormat = z.looseObject({
  type: z.literal("json_schema"),
  schema: z.record(z.string(), z.unknown()),
});

/** The body of `POST /v1/messages`. Parameters that are not listed have no effect, and are named to the client. */
export const messagesBody = z.looseObject({
  model: z.string().min(1),
  messages: z.array(message).min(1, "must hold at least one message"),
  system: z.union([z.string(), z.array(text)]).nullish(),
  stream: z.boolean().nullish(),
  max_tokens: z.int().min(0).nullish(),
  stop_sequences: z.array(z.string().min(1, "must not be empty")).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  thinking: thinkingConfig.nullish(),
  output_config: z
    .looseObject({
      format: jsonFormat.nullish(),
      effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
    })
    .nullish(),
  /** The earlier name of `output_config.format`. */
  output_format: jsonFormat.nullish(),
});

export type MessagesBody = z.output<typeof messagesBody>;
export type BodyMessage = MessagesBody["messages"][number];
export type BodyTool = NonNullable<MessagesBody["tools"]>[number];
