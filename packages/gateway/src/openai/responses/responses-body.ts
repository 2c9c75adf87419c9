import { z } from "zod";
import { parseBody } from "../../body/parse-body.js";
import { EFFORTS, type ReasoningEffort } from "../reasoning-effort.js";
import { type InputItem, inputItem } from "./response-item.js";

/** Checks the body of `POST /v1/responses`, as far as the gateway reads it. */
export function parseResponsesBody(body: unknown): ResponsesBody {
  return parseBody(responsesBody, body);
}

/** The body of a request. Other parameters are kept, so that they can be named to the client. */
export interface ResponsesBody {
  readonly [parameter: string]: unknown;
  readonly model: string;
  readonly input?: string | readonly InputItem[] | null | undefined;
  readonly instructions?: string | null | undefined;
  readonly previous_response_id?: string | null | undefined;
  readonly tools?: readonly ResponsesTool[] | null | undefined;
  readonly tool_choice?: ResponsesToolChoice | null | undefined;
  readonly parallel_tool_calls?: boolean | null | undefined;
  readonly text?: ResponsesTextConfig | null | undefined;
  readonly reasoning?: ResponsesReasoning | null | undefined;
  readonly include?: readonly string[] | null | undefined;
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
  readonly store?: boolean | null | undefined;
  readonly stream?: boolean | null | undefined;
}

export type ResponsesTool = ClientResponsesTool | ResponsesNamespace | HostedTool;

/** A tool that the client runs. */
export type ClientResponsesTool =
  | {
      readonly type: "function";
      readonly name: string;
      readonly description?: string | null | undefined;
      readonly parameters?: Readonly<Record<string, unknown>> | null | undefined;
      readonly strict?: boolean | null | undefined;
      readonly defer_loading?: boolean | null | undefined;
    }
  | {
      readonly type: "custom";
      readonly name: string;
      readonly description?: string | null | undefined;
      readonly format?:
        | { readonly type: "text" }
        | { readonly type: "grammar"; readonly syntax: string; readonly definition: string }
        | null
        | undefined;
      readonly defer_loading?: boolean | null | undefined;
    };

/** A group of tools. A call of one of them has the name of the group in its field `namespace`. */
export interface ResponsesNamespace {
  readonly type: "namespace";
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly tools: readonly ClientResponsesTool[];
}

/** A tool that OpenAI's servers run or define. */
export interface HostedTool {
  readonly type: HostedToolType;
}

const HOSTED_TOOLS = [
  "apply_patch",
  "code_interpreter",
  "computer",
  "computer_use_preview",
  "file_search",
  "image_generation",
  "local_shell",
  "mcp",
  "programmatic_tool_calling",
  "shell",
  "tool_search",
  "web_search",
  "web_search_2025_08_26",
  "web_search_preview",
  "web_search_preview_2025_03_11",
] as const;

export type HostedToolType = (typeof HOSTED_TOOLS)[number];

export function isHostedTool(tool: ResponsesTool): tool is HostedTool {
  return (HOSTED_TOOLS as readonly string[]).includes(tool.type);
}

export interface ResponsesNamedTool {
  readonly type: "function" | "custom";
  readonly name: string;
  readonly namespace?: string | null | undefined;
}

export interface ResponsesAllowedTools {
  readonly type: "allowed_tools";
  readonly mode: "auto" | "required";
  readonly tools: readonly ResponsesNamedTool[];
}

export type ResponsesToolChoice =
  | "none"
  | "auto"
  | "required"
  | ResponsesNamedTool
  | ResponsesAllowedTools;

export interface ResponsesTextConfig {
  readonly [field: string]: unknown;
  readonly format?: ResponsesTextFormat | null | undefined;
  readonly verbosity?: string | null | undefined;
}

export type ResponsesTextFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | {
      readonly type: "json_schema";
      readonly name?: string | null | undefined;
      readonly description?: string | null | undefined;
      readonly schema: Readonly<Record<string, unknown>>;
    };

export interface ResponsesReasoning {
  readonly [field: string]: unknown;
  readonly effort?: ReasoningEffort | null | undefined;
  readonly summary?: string | null | undefined;
  readonly generate_summary?: string | null | undefined;
}

const text = z.string().nullish();
const jsonObject = z.record(z.string(), z.unknown());

const clientTools = [
  z.looseObject({
    type: z.literal("function"),
    name: z.string(),
    description: text,
    parameters: jsonObject.nullish(),
    strict: z.boolean().nullish(),
    defer_loading: z.boolean().nullish(),
  }),
  z.looseObject({
    type: z.literal("custom"),
    name: z.string(),
    description: text,
    format: z
      .discriminatedUnion("type", [
        z.looseObject({ type: z.literal("text") }),
        z.looseObject({
          type: z.literal("grammar"),
          syntax: z.string(),
          definition: z.string(),
        }),
      ])
      .nullish(),
    defer_loading: z.boolean().nullish(),
  }),
] as const;

const tool = z.discriminatedUnion("type", [
  ...clientTools,
  z.looseObject({
    type: z.literal("namespace"),
    name: z.string(),
    description: text,
    tools: z.array(z.discriminatedUnion("type", clientTools)),
  }),
  z.looseObject({ type: z.enum(HOSTED_TOOLS) }),
]);

const namedTool = z.looseObject({
  type: z.enum(["function", "custom"]),
  name: z.string(),
  namespace: text,
});

export const responsesBody: z.ZodType<ResponsesBody> = z.looseObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(inputItem)]).nullish(),
  instructions: text,
  previous_response_id: text,
  tools: z.array(tool).nullish(),
  tool_choice: z
    .union([
      z.enum(["none", "auto", "required"]),
      z.discriminatedUnion("type", [
        namedTool,
        z.looseObject({
          type: z.literal("allowed_tools"),
          mode: z.enum(["auto", "required"]),
          tools: z.array(namedTool),
        }),
      ]),
    ])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z
    .looseObject({
      format: z
        .discriminatedUnion("type", [
          z.looseObject({ type: z.literal("text") }),
          z.looseObject({ type: z.literal("json_object") }),
          z.looseObject({
            type: z.literal("json_schema"),
            name: text,
            description: text,
            schema: jsonObject,
          }),
        ])
        .nullish(),
      verbosity: text,
    })
    .nullish(),
  reasoning: z
    .looseObject({ effort: EFFORTS.nullish(), summary: text, generate_summary: text })
    .nullish(),
  include: z.array(z.string()).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
});
