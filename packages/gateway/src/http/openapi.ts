import { z } from "zod";
import { messagesBody } from "../anthropic/messages-body.js";
import { ANSWER_BODY, OPEN_BODY, RUN_BODY, TURN_BODY } from "../native/native-bodies.js";
import { chatBody } from "../openai/chat/chat-body.js";
import { responsesBody } from "../openai/responses/responses-body.js";

/** The description of the HTTP interface, as OpenAPI 3.1. */
export function openapiDocument(version: string): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const row of OPERATIONS) {
    const path = paths[row.path] ?? {};
    path[row.method] = operationOf(row);
    paths[row.path] = path;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Hawser gateway",
      version,
      description:
        "Claude Code behind the wire formats of Anthropic and OpenAI. Answers have the shapes of those APIs.",
    },
    security: [{ apiKey: [] }, { bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
        bearer: { type: "http", scheme: "bearer" },
      },
      schemas: {
        AnthropicError: ANTHROPIC_ERROR,
        OpenAIError: OPENAI_ERROR,
        NativeError: NATIVE_ERROR,
      },
    },
  };
}

interface Operation {
  readonly method: "get" | "post" | "delete";
  readonly path: string;
  readonly summary: string;
  readonly format?: "anthropic" | "openai" | "native";
  readonly body?: z.ZodType | "object";
  readonly streams?: true;
  readonly isOpen?: true;
}

/** Every operation. A test compares the rows with the routes of the application. */
const OPERATIONS: readonly Operation[] = [
  {
    method: "post",
    path: "/v1/messages",
    summary: "Answers a conversation, as the Messages API does.",
    format: "anthropic",
    body: messagesBody,
    streams: true,
  },
  {
    method: "post",
    path: "/v1/messages/count_tokens",
    summary: "Estimates the tokens of a conversation. Off unless countTokens is set.",
    format: "anthropic",
    body: "object",
  },
  { method: "get", path: "/v1/models", summary: "Lists the models and agents of the tenant." },
  { method: "get", path: "/v1/models/{id}", summary: "Describes a model or agent." },
  {
    method: "post",
    path: "/v1/chat/completions",
    summary: "Answers a conversation, as the Chat Completions API does.",
    format: "openai",
    body: chatBody,
    streams: true,
  },
  {
    method: "post",
    path: "/v1/responses",
    summary: "Answers a conversation, as the Responses API does.",
    format: "openai",
    body: responsesBody,
    streams: true,
  },
  {
    method: "get",
    path: "/v1/responses/{id}",
    summary: "Returns a stored response.",
    format: "openai",
  },
  {
    method: "delete",
    path: "/v1/responses/{id}",
    summary: "Deletes a stored response.",
    format: "openai",
  },
  {
    method: "post",
    path: "/v1/responses/{id}/cancel",
    summary: "Cancels a response.",
    format: "openai",
  },
  {
    method: "get",
    path: "/v1/responses/{id}/input_items",
    summary: "Lists the input of a stored response.",
    format: "openai",
  },
  ...native([
    ["get", "/access", "Says what the key may do."],
    ["get", "/failures", "Lists the newest failures of turns, sessions and calls."],
    ["get", "/failures/{id}", "Describes a failure, with the events before it."],
    ["get", "/fleet", "Shows the hosts, runs, tenants and accounts of the fleet."],
    ["get", "/agents", "Lists the agents whose sessions the tenant can open."],
    ["get", "/sessions", "Lists the sessions that the tenant sees."],
    ["post", "/sessions", "Opens a session of an agent.", OPEN_BODY],
    ["get", "/sessions/{id}", "Describes a session."],
    ["delete", "/sessions/{id}", "Deletes a session."],
    ["get", "/sessions/{id}/messages", "Returns the transcript of a session."],
    ["post", "/sessions/{id}/turns", "Sends a prompt.", TURN_BODY],
    ["post", "/sessions/{id}/interrupt", "Stops the turn that runs."],
    ["post", "/sessions/{id}/close", "Closes a session."],
    ["post", "/sessions/{id}/fork", "Copies a session."],
    ["get", "/runs", "Lists the runs of the tenant on the fleet."],
    ["post", "/runs", "Submits a run of an agent to the fleet.", RUN_BODY],
    ["get", "/runs/{id}", "Describes a run, with its outcome or error."],
    ["delete", "/runs/{id}", "Cancels a run."],
    ["post", "/runs/{id}/cancel", "Cancels a run."],
    ["post", "/runs/{id}/retry", "Queues a run that failed again."],
    ["get", "/runs/{id}/events", "Streams the events of a run; Last-Event-ID continues."],
    ["get", "/approvals/events", "Streams questions and answers, the open questions first."],
    ["get", "/approvals", "Lists the questions that wait for an answer."],
    ["get", "/approvals/records", "Lists the questions that were answered."],
    ["get", "/approvals/{id}", "Describes a question."],
    ["post", "/approvals/{id}", "Answers a question.", ANSWER_BODY],
    ["get", "/state", "Shows what runs now."],
    ["get", "/events", "Streams events; Last-Event-ID continues an earlier stream."],
    ["get", "/events/{id}", "Returns an event in full."],
  ]),
  { method: "get", path: "/health", summary: "Says that the server runs.", isOpen: true },
  { method: "get", path: "/ready", summary: "Says whether requests are answered.", isOpen: true },
  { method: "get", path: "/metrics", summary: "Figures in the text format of Prometheus." },
  { method: "get", path: "/openapi.json", summary: "This description.", isOpen: true },
];

type NativeRow = readonly [
  method: Operation["method"],
  path: string,
  summary: string,
  body?: z.ZodType,
];

/** The native API. */
function native(rows: readonly NativeRow[]): Operation[] {
  return rows.map(([method, path, summary, body]) => ({
    ...{ method, path: `/hawser/v1${path}`, summary },
    format: "native",
    ...(body === undefined ? {} : { body }),
    ...(path.endsWith("/events") ? { streams: true as const } : {}),
  }));
}

function operationOf({ path, summary, format, body, streams, isOpen }: Operation): object {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return {
    summary,
    ...(isOpen ? { security: [] } : {}),
    ...(names.length === 0
      ? {}
      : {
          parameters: names.map((name) => ({
            name,
            in: "path",
            required: true,
            schema: { type: "string" },
          })),
        }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: json(schemaOf(body)) } }),
    responses: {
      "200": { description: "The answer.", content: answerContent(path, streams) },
      ...(isOpen ? {} : { default: errorOf(format) }),
    },
  };
}

function answerContent(path: string, streams: true | undefined): object {
  if (path === "/metrics") return { "text/plain": { schema: { type: "string" } } };
  const stream = { "text/event-stream": { schema: { type: "string" } } };
  return { ...json({ type: "object" }), ...(streams ? stream : {}) };
}

function errorOf(format: Operation["format"]): object {
  const schemas = (format === undefined ? (["anthropic", "openai"] as const) : [format]).map(
    (each) => ({ $ref: `#/components/schemas/${ERROR_NAMES[each]}` }),
  );
  const schema = schemas.length === 1 ? schemas[0] : { oneOf: schemas };
  return { description: "An error, in the shape of the client's API.", content: json(schema) };
}

const ERROR_NAMES = {
  anthropic: "AnthropicError",
  openai: "OpenAIError",
  native: "NativeError",
} as const;

function json(schema: unknown): object {
  return { "application/json": { schema } };
}

function schemaOf(body: z.ZodType | "object"): unknown {
  if (body === "object") return { type: "object", additionalProperties: true };
  const { $schema: _, ...schema } = z.toJSONSchema(body, { io: "input", unrepresentable: "any" });
  return schema;
}

const ANTHROPIC_ERROR = {
  type: "object",
  required: ["type", "error"],
  properties: {
    type: { const: "error" },
    error: {
      type: "object",
      required: ["type", "message"],
      properties: { type: { type: "string" }, message: { type: "string" } },
    },
    request_id: { type: ["string", "null"] },
  },
};

const OPENAI_ERROR = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["message", "type", "param", "code"],
      properties: {
        message: { type: "string" },
        type: { type: "string" },
        param: { type: ["string", "null"] },
        code: { type: ["string", "null"] },
      },
    },
  },
};

const NATIVE_ERROR = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: {
        code: { type: "string" },
        message: { type: "string" },
        hint: { type: "string" },
        param: { type: ["string", "null"] },
      },
    },
  },
};
