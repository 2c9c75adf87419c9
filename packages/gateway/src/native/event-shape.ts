/**
 * The events of the native API. Each kind has the name of its channel: `hawser:tool:start` is
 * `tool.start`. The channels of requests are those of the gateway, and all others are those of `hawser`. The table has the fields that an event of the kind has beside the fields of every event. A
 * question mark says that the field can be absent.
 *
 * The table is the contract with clients: types, JSON Schemas and the translation come from it. Fields can be
 * added. A field keeps its name and meaning.
 */
export const EVENT_FIELDS = {
  "request.start": { request: "string", method: "string", path: "string" },
  "request.end": {
    request: "string",
    method: "string",
    path: "string",
    route: "string?",
    status: "number",
    ms: "number",
    firstByteMs: "number?",
    model: "string?",
    isStreamed: "boolean",
    isAborted: "boolean",
    usage: "tokens?",
    isEstimate: "boolean",
    costUsd: "number?",
    stopReason: "string?",
    code: "string?",
  },
  "call.start": { caller: "string", prompt: "value?" },
  "call.end": {
    caller: "string",
    outcome: "string",
    ms: "number",
    costUsd: "number?",
    error: "error?",
  },
  "call.retry": {
    attempt: "number",
    of: "number",
    delayMs: "number",
    code: "string",
    error: "error?",
  },
  "session.start": { purpose: "string", agent: "string?", model: "string?" },
  "session.ready": { pid: "number?", cliVersion: "string?", ms: "number" },
  "session.recovered": { pid: "number?", resumed: "boolean", reason: "string" },
  "session.end": { purpose: "string", outcome: "string", ms: "number", error: "error?" },
  "turn.start": { prompt: "value?" },
  "turn.text": { messageId: "string?", text: "string?", thinking: "string?" },
  "turn.end": {
    outcome: "string",
    ms: "number",
    rounds: "number",
    costUsd: "number?",
    usage: "tokens?",
    merged: "strings",
    reason: "string?",
    subtype: "string?",
    text: "value?",
    error: "error?",
  },
  "round.start": {
    round: "number",
    messageId: "string?",
    model: "string?",
    parentToolUseId: "string|null",
  },
  "round.end": {
    round: "number",
    messageId: "string?",
    model: "string?",
    parentToolUseId: "string|null",
    outcome: "string",
    ms: "number",
    firstTokenMs: "number?",
    usage: "tokens?",
    stopReason: "string?",
    content: "value",
  },
  "api.retry": {
    attempt: "number",
    of: "number",
    delayMs: "number",
    status: "number?",
    reason: "string?",
  },
  "tool.start": {
    round: "number?",
    toolUseId: "string",
    tool: "string",
    parentToolUseId: "string|null",
    subagentType: "string?",
    input: "value?",
  },
  "tool.end": {
    round: "number?",
    toolUseId: "string",
    tool: "string",
    parentToolUseId: "string|null",
    subagentType: "string?",
    outcome: "string",
    ms: "number",
    result: "value?",
  },
  "permission.asked": {
    request: "string",
    toolUseId: "string?",
    tool: "string",
    parentToolUseId: "string|null",
    input: "value?",
  },
  "permission.decided": {
    request: "string?",
    toolUseId: "string?",
    tool: "string",
    parentToolUseId: "string|null",
    by: "string",
    decision: "string",
    ms: "number?",
    reason: "string?",
  },
  "approval.requested": {
    approval: "string",
    approvalKind: "string",
    tool: "string?",
    toolUseId: "string?",
    parentToolUseId: "string?",
    isAnswerable: "boolean",
    summary: "string?",
    askedAt: "string?",
    expiresAt: "string?",
    question: "value?",
  },
  "approval.answered": {
    approval: "string",
    approvalKind: "string",
    tool: "string?",
    toolUseId: "string?",
    outcome: "string",
    by: "string?",
    edited: "boolean?",
    message: "value?",
    ms: "number",
  },
  "process.start": { pool: "number", worker: "number", pid: "number?", jobs: "number?" },
  "process.ready": {
    pool: "number",
    worker: "number",
    pid: "number?",
    jobs: "number?",
    ms: "number?",
  },
  "process.assigned": {
    pool: "number",
    worker: "number",
    pid: "number?",
    jobs: "number?",
    how: "string?",
  },
  "process.reset": {
    pool: "number",
    worker: "number",
    pid: "number?",
    jobs: "number?",
    ms: "number?",
  },
  "process.discarded": {
    pool: "number",
    worker: "number",
    pid: "number?",
    jobs: "number?",
    reason: "string?",
    detail: "value?",
  },
  "admission.queued": {
    pool: "number",
    admission: "number",
    purpose: "string",
    priority: "number",
    queued: "number",
    running: "number",
  },
  "admission.admitted": {
    pool: "number",
    admission: "number",
    purpose: "string",
    priority: "number",
    queued: "number",
    running: "number",
    ms: "number",
  },
  "admission.refused": {
    pool: "number",
    admission: "number",
    purpose: "string",
    priority: "number",
    queued: "number",
    running: "number",
    ms: "number",
    code: "string?",
    error: "error?",
  },
  "pause.start": {
    pool: "number",
    account: "string",
    code: "string",
    ms: "number",
    until: "number",
    limit: "number",
  },
} as const;

/** The fields that every event can have. */
export const COMMON_FIELDS = {
  id: "string",
  kind: "string",
  at: "number",
  tenant: "string?",
  call: "number?",
  session: "string?",
  sessionId: "string?",
  turn: "string?",
  cut: "strings?",
} as const;

export type EventKind = keyof typeof EVENT_FIELDS;

/** An event as clients get it. */
export type NativeEvent = { readonly [K in EventKind]: EventOf<K> }[EventKind];

/** An event of one kind. */
export type EventOf<K extends EventKind> = EventHead & { readonly kind: K } & FieldsOf<
    (typeof EVENT_FIELDS)[K]
  >;

/** The fields of every event. */
export interface EventHead {
  /** The run of the server and the number of the event, such as `3f9c2a1b-17`. */
  readonly id: string;
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  /** The tenant that the event belongs to. */
  readonly tenant?: string;
  /** Hawser's number of the call. */
  readonly call?: number;
  /** The API's id of the session. */
  readonly session?: string;
  /** The CLI's id of the session. */
  readonly sessionId?: string;
  readonly turn?: string;
  /** The paths of the values that were cut or masked. `GET /events/:id` has more of them. */
  readonly cut?: readonly string[];
}

/** An error as clients get it. */
export interface ErrorShape {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly retryable?: boolean;
  readonly phase?: string;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly apiStatus?: number;
  readonly stderrTail?: string;
}

/** The tokens of a turn or a round. */
export interface TokensShape {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheCreationTokens?: number;
}

interface FieldTypes {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly strings: readonly string[];
  readonly "string|null": string | null;
  /** Any JSON, which can be cut. */
  readonly value: unknown;
  readonly tokens: TokensShape;
  readonly error: ErrorShape;
}

type FieldsOf<T> = {
  readonly [F in keyof T as T[F] extends keyof FieldTypes ? F : never]: TypeOf<T[F]>;
} & {
  readonly [F in keyof T as T[F] extends keyof FieldTypes ? never : F]?: TypeOf<T[F]>;
};

type TypeOf<T> = T extends keyof FieldTypes
  ? FieldTypes[T]
  : T extends `${infer Name extends keyof FieldTypes}?`
    ? FieldTypes[Name]
    : never;

/** The JSON Schema of the events of one kind, for the description of the API. */
export function eventSchema(kind: EventKind): Readonly<Record<string, unknown>> {
  const rows = Object.entries({ ...COMMON_FIELDS, ...EVENT_FIELDS[kind] });
  const properties = rows.map(([name, type]) => [
    name,
    name === "kind" ? { const: kind } : SCHEMAS[type.replace("?", "")],
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: rows.filter(([, type]) => !type.endsWith("?")).map(([name]) => name),
    additionalProperties: false,
  };
}

const TEXT = { type: "string" };
const NUMBER = { type: "number" };

const SCHEMAS: Readonly<Record<string, unknown>> = {
  string: TEXT,
  number: NUMBER,
  boolean: { type: "boolean" },
  strings: { type: "array", items: TEXT },
  "string|null": { type: ["string", "null"] },
  value: {},
  tokens: {
    type: "object",
    properties: {
      inputTokens: NUMBER,
      outputTokens: NUMBER,
      cacheReadTokens: NUMBER,
      cacheCreationTokens: NUMBER,
    },
    additionalProperties: false,
  },
  error: {
    type: "object",
    properties: {
      code: TEXT,
      message: TEXT,
      hint: TEXT,
      retryable: { type: "boolean" },
      phase: TEXT,
      exitCode: NUMBER,
      signal: TEXT,
      apiStatus: NUMBER,
      stderrTail: TEXT,
    },
    required: ["code", "message"],
    additionalProperties: false,
  },
};
