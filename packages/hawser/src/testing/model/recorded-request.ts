import type { IncomingHttpHeaders } from "node:http";
import { objectOf } from "../../base/index.js";
import { type AuxiliaryKind, auxiliaryKind } from "./auxiliary-kind.js";
import { blocksOf, textOf } from "./request-body.js";

/**
 * The kind of a request:
 * - `call`: a request of the conversation. It takes a reply from the script.
 * - `auxiliary`: a request to the model that the CLI makes on its own. It takes no reply.
 * - `count_tokens`, and `other` for probes and everything else. They are answered and take no reply.
 */
export type RequestKind = "call" | "auxiliary" | "count_tokens" | "other";

/** The result of a tool, as the CLI sends it to the model. */
export interface ToolResult {
  readonly toolUseId: string;
  readonly text: string;
  readonly isError: boolean;
}

/** One request that the simulated model received. */
export interface RecordedRequest {
  /** The number of the request, from 1, in the order of arrival. */
  readonly number: number;
  readonly kind: RequestKind;
  /** The purpose of an auxiliary request. */
  readonly auxiliary?: AuxiliaryKind;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** The headers, with lower-case names. The values of credentials are masked. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON; undefined if the request had no body. */
  readonly body: unknown;
  /** Milliseconds since 1970. */
  readonly arrivedAt: number;

  /** The model that the request names. */
  readonly model: string | undefined;
  readonly stream: boolean;
  /** The system prompt, with its parts joined. */
  readonly system: string;
  /** The text of the last user message, without the reminders that the CLI adds to it. */
  readonly prompt: string;
  /** The results of the tools that the last reply called. */
  readonly toolResults: readonly ToolResult[];
  /** The names of the tools that the model may call. */
  readonly tools: readonly string[];
}

export interface Arrival {
  readonly number: number;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  readonly arrivedAt: number;
}

export function recordRequest(arrival: Arrival): RecordedRequest {
  const [path = "/", query = ""] = arrival.url.split("?", 2);
  const body = objectOf(arrival.body);
  const last = lastUserMessage(body);
  return {
    number: arrival.number,
    ...kindOf(arrival.method, path, body),
    method: arrival.method,
    path,
    query,
    headers: maskedHeaders(arrival.headers),
    body: arrival.body,
    arrivedAt: arrival.arrivedAt,
    model: typeof body["model"] === "string" ? body["model"] : undefined,
    stream: body["stream"] === true,
    system: textOf(body["system"]),
    prompt: textOf(last, isOwnText),
    toolResults: blocksOf(last).flatMap(toolResult),
    tools: blocksOf(body["tools"]).map((tool) => String(tool["name"])),
  };
}

function kindOf(
  method: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Pick<RecordedRequest, "kind" | "auxiliary"> {
  if (method !== "POST") return { kind: "other" };
  if (path === "/v1/messages/count_tokens") return { kind: "count_tokens" };
  if (path !== "/v1/messages" || !Array.isArray(body["messages"])) return { kind: "other" };
  const auxiliary = auxiliaryKind(body);
  return auxiliary === undefined ? { kind: "call" } : { kind: "auxiliary", auxiliary };
}

function lastUserMessage(body: Readonly<Record<string, unknown>>): unknown {
  // Messages of the role `system`, which are the CLI's own notes, may follow it.
  return blocksOf(body["messages"]).findLast((message) => message["role"] === "user")?.["content"];
}

/** Whether a text comes from the caller, not from the CLI (a reminder, or output of a pool's reset). */
function isOwnText(text: string): boolean {
  return !/^\s*<(?:system-reminder|local-command-\w+|command-name)>/.test(text);
}

function toolResult(block: Readonly<Record<string, unknown>>): ToolResult[] {
  if (block["type"] !== "tool_result") return [];
  return [
    {
      toolUseId: String(block["tool_use_id"]),
      text: textOf(block["content"]),
      isError: block["is_error"] === true,
    },
  ];
}

const CREDENTIALS = new Set(["x-api-key", "authorization", "proxy-authorization", "cookie"]);

function maskedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const masked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value.join(", ") : (value ?? "");
    masked[name] = CREDENTIALS.has(name) ? text.replace(/^(bearer |basic )?.*$/is, "$1***") : text;
  }
  return masked;
}
