import { z } from "zod";
import { parseBody } from "../../body/parse-body.js";
import type { FileInput } from "../media-blocks.js";
import { EFFORTS, type ReasoningEffort } from "../reasoning-effort.js";

/** Checks the body of `POST /v1/chat/completions`, as far as the gateway reads it. */
export function parseChatBody(body: unknown): ChatBody {
  return parseBody(chatBody, body);
}

/** The body of a request. Other parameters are kept, so that they can be named to the client. */
export interface ChatBody {
  readonly [parameter: string]: unknown;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ChatTool[] | null | undefined;
  readonly tool_choice?: ChatToolChoice | null | undefined;
  readonly parallel_tool_calls?: boolean | null | undefined;
  readonly response_format?: ChatResponseFormat | null | undefined;
  readonly stop?: string | readonly string[] | null | undefined;
  readonly reasoning_effort?: ReasoningEffort | null | undefined;
  readonly stream?: boolean | null | undefined;
  readonly stream_options?: ChatStreamOptions | null | undefined;
}

export type ChatMessage =
  | {
      readonly role: "system" | "developer";
      readonly content: string | readonly ChatTextPart[];
      readonly name?: string | null | undefined;
    }
  | {
      readonly role: "user";
      readonly content: string | readonly ChatUserPart[];
      readonly name?: string | null | undefined;
    }
  | ChatAssistantMessage
  | {
      readonly role: "tool";
      readonly content: string | readonly ChatUserPart[];
      readonly tool_call_id: string;
    }
  | { readonly role: "function" };

export interface ChatAssistantMessage {
  readonly [field: string]: unknown;
  readonly role: "assistant";
  readonly content?: string | readonly (ChatTextPart | ChatRefusalPart)[] | null | undefined;
  readonly refusal?: string | null | undefined;
  readonly tool_calls?: readonly ChatToolCallInput[] | null | undefined;
  readonly function_call?: unknown;
  readonly name?: string | null | undefined;
}

export interface ChatTextPart {
  readonly type: "text";
  readonly text: string;
}

export interface ChatRefusalPart {
  readonly type: "refusal";
  readonly refusal: string;
}

export type ChatUserPart =
  | ChatTextPart
  | {
      readonly type: "image_url";
      readonly image_url: { readonly url: string; readonly detail?: string | null | undefined };
    }
  | { readonly type: "file"; readonly file: FileInput }
  | { readonly type: "input_audio" };

export type ChatToolCallInput =
  | {
      readonly id: string;
      readonly type: "function";
      readonly function: { readonly name: string; readonly arguments: string };
    }
  | {
      readonly id: string;
      readonly type: "custom";
      readonly custom: { readonly name: string; readonly input: string };
    };

export type ChatTool =
  | {
      readonly type: "function";
      readonly function: {
        readonly name: string;
        readonly description?: string | null | undefined;
        readonly parameters?: Readonly<Record<string, unknown>> | null | undefined;
        readonly strict?: boolean | null | undefined;
      };
    }
  | {
      readonly type: "custom";
      readonly custom: {
        readonly name: string;
        readonly description?: string | null | undefined;
        readonly format?:
          | { readonly type: "text" }
          | {
              readonly type: "grammar";
              readonly grammar: { readonly syntax: string; readonly definition: string };
            }
          | null
          | undefined;
      };
    };

export type ChatNamedTool =
  | { readonly type: "function"; readonly function: { readonly name: string } }
  | { readonly type: "custom"; readonly custom: { readonly name: string } };

export interface ChatAllowedTools {
  readonly type: "allowed_tools";
  readonly allowed_tools: {
    readonly mode: "auto" | "required";
    readonly tools: readonly ChatNamedTool[];
  };
}

export type ChatToolChoice = "none" | "auto" | "required" | ChatNamedTool | ChatAllowedTools;

export type ChatResponseFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | {
      readonly type: "json_schema";
      readonly json_schema: {
        readonly description?: string | null | undefined;
        readonly schema?: Readonly<Record<string, unknown>> | null | undefined;
      };
    };

export interface ChatStreamOptions {
  readonly include_usage?: boolean | null | undefined;
  readonly include_obfuscation?: boolean | null | undefined;
}

const text = z.looseObject({ type: z.literal("text"), text: z.string() });
const refusal = z.looseObject({ type: z.literal("refusal"), refusal: z.string() });
const image = z.looseObject({
  type: z.literal("image_url"),
  image_url: z.looseObject({ url: z.string(), detail: z.string().nullish() }),
});
const file = z.looseObject({
  type: z.literal("file"),
  file: z.looseObject({
    file_data: z.string().nullish(),
    file_id: z.string().nullish(),
    filename: z.string().nullish(),
  }),
});
const audio = z.looseObject({ type: z.literal("input_audio") });

const userPart = z.discriminatedUnion("type", [text, image, file, audio]);
const textContent = z.union([z.string(), z.array(text)]);

const functionCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal("function"),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
});
const customCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal("custom"),
  custom: z.looseObject({ name: z.string().min(1), input: z.string() }),
});

const name = z.string().nullish();
const message = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal("system"), content: textContent, name }),
  z.looseObject({ role: z.literal("developer"), content: textContent, name }),
  z.looseObject({
    role: z.literal("user"),
    content: z.union([z.string(), z.array(userPart)]),
    name,
  }),
  z.looseObject({
    role: z.literal("assistant"),
    content: z
      .union([z.string(), z.array(z.discriminatedUnion("type", [text, refusal]))])
      .nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(z.discriminatedUnion("type", [functionCall, customCall])).nullish(),
    function_call: z.unknown().optional(),
    audio: z.unknown().optional(),
    name,
  }),
  z.looseObject({
    role: z.literal("tool"),
    content: z.union([z.string(), z.array(userPart)]),
    tool_call_id: z.string().min(1),
  }),
  z.looseObject({ role: z.literal("function") }),
]);

const jsonObject = z.record(z.string(), z.unknown());

const functionTool = z.looseObject({
  type: z.literal("function"),
  function: z.looseObject({
    name: z.string(),
    description: z.string().nullish(),
    parameters: jsonObject.nullish(),
    strict: z.boolean().nullish(),
  }),
});
const customTool = z.looseObject({
  type: z.literal("custom"),
  custom: z.looseObject({
    name: z.string(),
    description: z.string().nullish(),
    format: z
      .discriminatedUnion("type", [
        z.looseObject({ type: z.literal("text") }),
        z.looseObject({
          type: z.literal("grammar"),
          grammar: z.looseObject({ syntax: z.string(), definition: z.string() }),
        }),
      ])
      .nullish(),
  }),
});

const namedFunction = z.looseObject({
  type: z.literal("function"),
  function: z.looseObject({ name: z.string() }),
});
const namedCustom = z.looseObject({
  type: z.literal("custom"),
  custom: z.looseObject({ name: z.string() }),
});
const allowedTools = z.looseObject({
  type: z.literal("allowed_tools"),
  allowed_tools: z.looseObject({
    mode: z.enum(["auto", "required"]),
    tools: z.array(z.discriminatedUnion("type", [namedFunction, namedCustom])),
  }),
});

const responseFormat = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({ type: z.literal("json_object") }),
  z.looseObject({
    type: z.literal("json_schema"),
    json_schema: z.looseObject({
      name: z.string().nullish(),
      description: z.string().nullish(),
      schema: jsonObject.nullish(),
      strict: z.boolean().nullish(),
    }),
  }),
]);

export const chatBody: z.ZodType<ChatBody> = z.looseObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  tools: z.array(z.discriminatedUnion("type", [functionTool, customTool])).nullish(),
  tool_choice: z
    .union([
      z.enum(["none", "auto", "required"]),
      z.discriminatedUnion("type", [namedFunction, namedCustom, allowedTools]),
    ])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: responseFormat.nullish(),
  stop: z.union([z.string().min(1), z.array(z.string().min(1))]).nullish(),
  reasoning_effort: EFFORTS.nullish(),
  stream: z.boolean().nullish(),
  stream_options: z
    .looseObject({
      include_usage: z.boolean().nullish(),
      include_obfuscation: z.boolean().nullish(),
    })
    .nullish(),
});
