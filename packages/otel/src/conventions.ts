/**
 * All names that this package gives to spans, attributes, events and metrics, in one table. Names that begin with
 * `gen_ai.` come from the semantic conventions for generative AI, which are in development: a later version can
 * rename them. So the version is pinned here, and nothing else in the package has a name as a literal.
 */

/** The version of the semantic conventions that the names are from. */
export const SEMCONV_VERSION = "1.45.0";

export const SCHEMA_URL = `https://opentelemetry.io/schemas/${SEMCONV_VERSION}`;

/** The name of the tracer and of the meter. */
export const SCOPE_NAME = "@hawser/otel";

/** The value in `OTEL_SEMCONV_STABILITY_OPT_IN` that selects the column `latest` of the tables. */
export const LATEST = "gen_ai_latest_experimental";

/** The spans, by their short names in the tables below. */
export const SPANS = {
  agent: {
    operation: "invoke_agent",
    name: "invoke_agent {agent}",
    kind: "INTERNAL",
    meaning:
      "a call of `complete()` or `stream()`, a turn of a session or of `query()`, a sub-agent",
  },
  chat: {
    operation: "chat",
    name: "chat {model}",
    kind: "CLIENT",
    meaning: "a reply of the model, from the request to the last event",
  },
  tool: {
    operation: "execute_tool",
    name: "execute_tool {tool}",
    kind: "INTERNAL",
    meaning: "a tool call, from the model's call to the result",
  },
  request: {
    operation: undefined,
    name: "{method} {route}",
    kind: "SERVER",
    meaning: "a request to the gateway, until its answer was sent",
  },
} as const satisfies Record<string, SpanRow>;

export interface SpanRow {
  /** The value of `gen_ai.operation.name`. */
  readonly operation: string | undefined;
  readonly name: string;
  readonly kind: "INTERNAL" | "CLIENT" | "SERVER";
  readonly meaning: string;
}

export type SpanType = keyof typeof SPANS;

export interface AttributeRow {
  readonly name: string;
  /** The name in the conventions that are not released yet, if it differs. */
  readonly latest?: string;
  readonly on: readonly SpanType[];
  /** Whether it is set only with the option `content`. */
  readonly isContent?: true;
  readonly meaning: string;
}

const ALL = ["agent", "chat", "tool"] as const;

/** The attributes of spans. */
export const ATTRIBUTES = {
  operation: {
    name: "gen_ai.operation.name",
    on: ALL,
    meaning: "`invoke_agent`, `chat` or `execute_tool`",
  },
  provider: {
    name: "gen_ai.provider.name",
    on: ["agent", "chat"],
    meaning: "`anthropic`, `aws.bedrock` or `gcp.vertex_ai`",
  },
  conversation: {
    name: "gen_ai.conversation.id",
    on: ALL,
    meaning: "the id of the session, as the CLI names it",
  },
  agentName: {
    name: "gen_ai.agent.name",
    on: ["agent"],
    meaning: "the option `agent`, or the type of the sub-agent",
  },
  requestModel: {
    name: "gen_ai.request.model",
    on: ["agent", "chat"],
    meaning: "the option `model`; of a chat, the model that the CLI asked",
  },
  outputType: {
    name: "gen_ai.output.type",
    on: ["agent"],
    meaning: "`json` with a schema, else `text`",
  },
  responseModel: {
    name: "gen_ai.response.model",
    on: ["agent", "chat"],
    meaning: "the model that answered",
  },
  responseId: {
    name: "gen_ai.response.id",
    on: ["chat"],
    meaning: "the id of the reply",
  },
  finishReasons: {
    name: "gen_ai.response.finish_reasons",
    on: ["chat"],
    meaning: "why the model stopped, such as `end_turn` or `tool_use`",
  },
  isStreamed: {
    name: "gen_ai.request.stream",
    on: ["chat"],
    meaning: "true if the CLI passed the events of the reply on",
  },
  firstChunk: {
    name: "gen_ai.response.time_to_first_chunk",
    on: ["chat"],
    meaning: "seconds from the request to the first event of the reply",
  },
  inputTokens: {
    name: "gen_ai.usage.input_tokens",
    on: ["agent", "chat"],
    meaning: "all input tokens, those of the cache included",
  },
  cacheReadTokens: {
    name: "gen_ai.usage.cache_read.input_tokens",
    on: ["agent", "chat"],
    meaning: "the input tokens that were read from the cache",
  },
  cacheCreationTokens: {
    name: "gen_ai.usage.cache_creation.input_tokens",
    latest: "gen_ai.usage.cache_write.input_tokens",
    on: ["agent", "chat"],
    meaning: "the input tokens that were written to the cache",
  },
  outputTokens: {
    name: "gen_ai.usage.output_tokens",
    on: ["agent", "chat"],
    meaning: "the output tokens",
  },
  toolName: {
    name: "gen_ai.tool.name",
    on: ["tool"],
    meaning: "the name of the tool",
  },
  toolCallId: {
    name: "gen_ai.tool.call.id",
    on: ["tool"],
    meaning: "the model's id of the call",
  },
  toolType: {
    name: "gen_ai.tool.type",
    on: ["tool"],
    meaning: "`function` for a tool of an MCP server, `extension` for a tool of the CLI",
  },
  errorType: {
    name: "error.type",
    on: ["agent", "tool", "request"],
    meaning: "the error code; of a tool, `tool_error`; of a request, the code or the status",
  },
  inputMessages: {
    name: "gen_ai.input.messages",
    on: ["agent"],
    isContent: true,
    meaning: "the prompt, as JSON",
  },
  systemInstructions: {
    name: "gen_ai.system_instructions",
    on: ["agent"],
    isContent: true,
    meaning: "the option `systemPrompt`, as JSON",
  },
  outputMessages: {
    name: "gen_ai.output.messages",
    on: ["agent", "chat"],
    isContent: true,
    meaning: "the answer or the reply, as JSON",
  },
  toolArguments: {
    name: "gen_ai.tool.call.arguments",
    on: ["tool"],
    isContent: true,
    meaning: "the input of the tool, as JSON",
  },
  toolResult: {
    name: "gen_ai.tool.call.result",
    on: ["tool"],
    isContent: true,
    meaning: "the result of the tool, as JSON",
  },
  caller: {
    name: "hawser.caller",
    on: ["agent"],
    meaning: "`complete()`, `stream()`, `session`, `query` or `subagent`",
  },
  tenant: {
    name: "hawser.tenant",
    on: ["agent", "request"],
    meaning: "the option `tenant`; of a request, the owner of the key",
  },
  stop: {
    name: "hawser.stop",
    on: ["agent"],
    meaning: "why a call stopped, such as `completed` or `max_turns`",
  },
  rounds: {
    name: "hawser.rounds",
    on: ["agent"],
    meaning: "how many requests to the model there were, those of sub-agents included",
  },
  cost: {
    name: "hawser.cost_usd",
    on: ["agent"],
    meaning: "the cost, if it is known",
  },
  poolHow: {
    name: "hawser.pool.how",
    on: ["agent"],
    meaning: "how the pool served it: `recycled`, `initialized`, `generic` or `cold`",
  },
  queuedMs: {
    name: "hawser.queued_ms",
    on: ["agent"],
    meaning: "the time in the queue of a pool, of all attempts together",
  },
  bootMs: {
    name: "hawser.boot_ms",
    on: ["agent"],
    meaning: "how long it took until the CLI was ready; of a session, on its first turn",
  },
  retries: {
    name: "hawser.retries",
    on: ["agent"],
    meaning: "how often the call was made again",
  },
  outcome: {
    name: "hawser.outcome",
    on: ALL,
    meaning:
      "how it ended, if not by success or failure: `denied`, `interrupted`, or `lost` if its end was not seen",
  },
  httpMethod: {
    name: "http.request.method",
    on: ["request"],
    meaning: "the method",
  },
  httpRoute: {
    name: "http.route",
    on: ["request"],
    meaning: "the route, such as `/v1/messages`",
  },
  httpPath: {
    name: "url.path",
    on: ["request"],
    meaning: "the path, without the query",
  },
  httpStatus: {
    name: "http.response.status_code",
    on: ["request"],
    meaning: "the status of the answer",
  },
  requestId: {
    name: "hawser.request.id",
    on: ["request"],
    meaning: "the id in the header `request-id`",
  },
} as const satisfies Record<string, AttributeRow>;

export interface EventRow {
  readonly name: string;
  readonly on: SpanType;
  readonly meaning: string;
  readonly attributes: readonly string[];
}

/** The events of spans. */
export const EVENTS = {
  permission: {
    name: "hawser.permission",
    on: "tool",
    meaning: "it was decided whether the tool may run",
    attributes: ["hawser.permission.decision", "hawser.permission.by", "hawser.permission.wait_ms"],
  },
  apiRetry: {
    name: "hawser.api_retry",
    on: "agent",
    meaning: "the CLI repeats a request to the API",
    attributes: ["hawser.retry.attempt", "hawser.retry.delay_ms", "http.response.status_code"],
  },
  callRetry: {
    name: "hawser.call_retry",
    on: "agent",
    meaning: "the call failed and is made again",
    attributes: ["hawser.retry.attempt", "hawser.retry.delay_ms", "error.type"],
  },
  recovered: {
    name: "hawser.session_recovered",
    on: "agent",
    meaning: "a new process continues the session",
    attributes: ["hawser.resumed"],
  },
} as const satisfies Record<string, EventRow>;

export interface MetricRow {
  readonly name: string;
  readonly instrument: "histogram" | "counter" | "observable up-down counter";
  readonly unit: string;
  readonly meaning: string;
  readonly attributes: readonly string[];
  /** The boundaries of the buckets that the conventions advise. */
  readonly boundaries?: readonly number[];
}

const MODEL_ATTRIBUTES = [
  ATTRIBUTES.operation.name,
  ATTRIBUTES.provider.name,
  ATTRIBUTES.requestModel.name,
  ATTRIBUTES.responseModel.name,
];
const TOKEN_TYPE = "gen_ai.token.type";
const TOKEN_MODALITY = "gen_ai.token.modality";
const STATE = "hawser.process.state";
const POOL = "hawser.pool";

const SECONDS = doubled(0.01, 14);
const LONG_SECONDS = doubled(0.1, 13);
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);

/** The metrics of both sets of conventions. */
export const METRICS = {
  operationDuration: {
    name: "gen_ai.client.operation.duration",
    instrument: "histogram",
    unit: "s",
    meaning: "the time of a reply of the model",
    attributes: MODEL_ATTRIBUTES,
    boundaries: SECONDS,
  },
  firstChunk: {
    name: "gen_ai.client.operation.time_to_first_chunk",
    instrument: "histogram",
    unit: "s",
    meaning: "the time from the request to the first event of the reply",
    attributes: MODEL_ATTRIBUTES,
    boundaries: SECONDS,
  },
  agentDuration: {
    name: "gen_ai.invoke_agent.duration",
    instrument: "histogram",
    unit: "s",
    meaning: "the time of a call, a turn or a sub-agent",
    attributes: [
      ATTRIBUTES.provider.name,
      ATTRIBUTES.agentName.name,
      ATTRIBUTES.requestModel.name,
      ATTRIBUTES.caller.name,
      ATTRIBUTES.errorType.name,
    ],
    boundaries: LONG_SECONDS,
  },
  toolDuration: {
    name: "gen_ai.execute_tool.duration",
    instrument: "histogram",
    unit: "s",
    meaning: "the time of a tool call, waiting for a permission included",
    attributes: [ATTRIBUTES.toolName.name, ATTRIBUTES.toolType.name, ATTRIBUTES.errorType.name],
    boundaries: SECONDS,
  },
  calls: {
    name: "hawser.calls",
    instrument: "counter",
    unit: "{call}",
    meaning: "calls, and turns of sessions and of `query()`, that have ended",
    attributes: [ATTRIBUTES.caller.name, ATTRIBUTES.tenant.name, ATTRIBUTES.errorType.name],
  },
  cost: {
    name: "hawser.cost",
    instrument: "counter",
    unit: "USD",
    meaning: "the cost of calls and turns, as far as it is known",
    attributes: [ATTRIBUTES.caller.name, ATTRIBUTES.tenant.name, ATTRIBUTES.requestModel.name],
  },
  processes: {
    name: "hawser.pool.processes",
    instrument: "observable up-down counter",
    unit: "{process}",
    meaning: "the processes of a pool: `starting`, `idle` or `serving`",
    attributes: [POOL, STATE],
  },
  queue: {
    name: "hawser.pool.queue",
    instrument: "observable up-down counter",
    unit: "{request}",
    meaning: "the requests that wait for a process of a pool",
    attributes: [POOL],
  },
  approvals: {
    name: "hawser.approvals.pending",
    instrument: "observable up-down counter",
    unit: "{approval}",
    meaning: "the questions of `createApprovals()` that wait for an answer",
    attributes: ["hawser.approval.kind"],
  },
} as const satisfies Record<string, MetricRow>;

/** Attributes that only events and metrics have. */
export const KEYS = {
  decision: EVENTS.permission.attributes[0],
  decidedBy: EVENTS.permission.attributes[1],
  waitMs: EVENTS.permission.attributes[2],
  attempt: EVENTS.apiRetry.attributes[0],
  delayMs: EVENTS.apiRetry.attributes[1],
  resumed: EVENTS.recovered.attributes[0],
  tokenType: TOKEN_TYPE,
  tokenModality: TOKEN_MODALITY,
  pool: POOL,
  state: STATE,
  approvalKind: METRICS.approvals.attributes[0],
} as const;

/** A metric of tokens: which of the counts it gets, and its attributes beside those of the model. */
export interface TokenMetricRow extends MetricRow {
  readonly counts: readonly TokenCount[];
}

export interface TokenCount {
  readonly of: "input" | "output" | "cacheRead" | "cacheCreation";
  readonly attributes: Readonly<Record<string, string>>;
}

/** The metrics of tokens in the pinned version. */
export const TOKEN_METRICS: readonly TokenMetricRow[] = [
  {
    name: "gen_ai.client.token.usage",
    instrument: "histogram",
    unit: "{token}",
    meaning: "the tokens of a reply: `input`, those of the cache included, or `output`",
    attributes: [...MODEL_ATTRIBUTES, TOKEN_TYPE],
    boundaries: TOKENS,
    counts: [
      { of: "input", attributes: { [TOKEN_TYPE]: "input" } },
      { of: "output", attributes: { [TOKEN_TYPE]: "output" } },
    ],
  },
];

/** The metrics of tokens in the conventions that are not released yet. */
export const LATEST_TOKEN_METRICS: readonly TokenMetricRow[] = [
  usageCounter("input_tokens", "input", "the input tokens, those of the cache included"),
  usageCounter("output_tokens", "output", "the output tokens"),
  usageCounter("cache_read.input_tokens", "cacheRead", "the input tokens read from the cache"),
  usageCounter(
    "cache_write.input_tokens",
    "cacheCreation",
    "the input tokens written to the cache",
  ),
  operationHistogram("input_tokens", "input", "the input tokens of a reply"),
  operationHistogram("output_tokens", "output", "the output tokens of a reply"),
];

/** The names that are in effect. */
export interface Conventions {
  readonly keys: Readonly<Record<keyof typeof ATTRIBUTES, string>>;
  readonly tokenMetrics: readonly TokenMetricRow[];
}

/** Selects the names by the value of `OTEL_SEMCONV_STABILITY_OPT_IN`. */
export function conventionsFor(optIn: string | undefined): Conventions {
  const isLatest = optIn?.split(",").some((each) => each.trim() === LATEST) === true;
  const rows: [string, AttributeRow][] = Object.entries(ATTRIBUTES);
  const keys = rows.map(([id, { name, latest }]) => [id, isLatest ? (latest ?? name) : name]);
  return {
    keys: Object.fromEntries(keys) as Conventions["keys"],
    tokenMetrics: isLatest ? LATEST_TOKEN_METRICS : TOKEN_METRICS,
  };
}

function usageCounter(suffix: string, of: TokenCount["of"], meaning: string): TokenMetricRow {
  return {
    name: `gen_ai.client.inference.usage.${suffix}`,
    instrument: "counter",
    unit: "{token}",
    meaning,
    attributes: [...MODEL_ATTRIBUTES, TOKEN_MODALITY],
    counts: [{ of, attributes: { [TOKEN_MODALITY]: "unknown" } }],
  };
}

function operationHistogram(suffix: string, of: TokenCount["of"], meaning: string): TokenMetricRow {
  return {
    name: `gen_ai.client.inference.operation.${suffix}`,
    instrument: "histogram",
    unit: "{token}",
    meaning,
    attributes: MODEL_ATTRIBUTES,
    boundaries: TOKENS,
    counts: [{ of, attributes: {} }],
  };
}

/** `count` numbers, each twice the one before it. */
function doubled(first: number, count: number): readonly number[] {
  // By division, because 0.01 * 2 ** n would show the errors of floating-point numbers.
  return Array.from({ length: count }, (_, at) => (first * 100 * 2 ** at) / 100);
}
